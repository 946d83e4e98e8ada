//! Quiet hours and the day's budget: what the configuration says at this moment.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use jiff::tz::TimeZone;
use windlass_core::config::{Config, Origin, QuietHours, Setting, Settings, is_quiet};
use windlass_core::time::Timestamp;

use super::open::{Machine, MachineError};

/// What the configuration says about when and for how much attempts are started, read anew each
/// time: it is about the machine and the people around it, not about one run.
#[derive(Clone, Debug, Default)]
pub struct HouseRules {
    files: Vec<(Origin, PathBuf)>,
    /// What held when the files could last be read.
    last: Arc<Mutex<Settings>>,
}

/// Why nothing is started now, and until when.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Hold {
    pub(crate) until: Timestamp,
    pub(crate) why: String,
}

impl HouseRules {
    /// Reads these files whenever it is asked.
    pub fn new(files: Vec<(Origin, PathBuf)>) -> Self {
        Self { files, last: Arc::default() }
    }

    /// Returns whether the machine knows a time zone by this name.
    pub fn knows_zone(name: &str) -> bool {
        TimeZone::get(name).is_ok()
    }

    /// What keeps attempts of this repository from being started now; of several, the longest.
    pub(crate) fn hold(
        &self,
        machine: &Machine,
        repository: &str,
        now: Timestamp,
    ) -> Result<Option<Hold>, MachineError> {
        let settings = self.read(machine);
        let zone = TimeZone::system();
        let mut holds: Vec<Hold> = quiet(&settings.quiet_hours, &zone, now).into_iter().collect();
        if let Some((today, tomorrow)) = day_of(now, &zone) {
            for budget in &settings.day_budgets {
                // A repository's file is about that repository, a user's about all that they do.
                let repository = budget.origin.is_repository().then_some(repository);
                let spent = machine.known_cost(repository, today)?;
                if spent >= budget.value {
                    holds.push(Hold { until: tomorrow, why: used_up(budget, spent) });
                }
            }
        }
        Ok(holds.into_iter().max_by_key(|hold| hold.until))
    }

    /// Reads the files. One that cannot be read now holds as it was: a slip of the pen in the
    /// middle of a run opens no purse.
    fn read(&self, machine: &Machine) -> Settings {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let mut configs = Vec::new();
        for (origin, path) in &self.files {
            let bytes = match fs_err::read(path) {
                Ok(bytes) => bytes,
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => continue,
                Err(error) => {
                    machine.warn("quiet hours and budget stay as they were", &error);
                    return last.clone();
                }
            };
            let name = path.display().to_string();
            match Config::parse(&bytes, &name, &Self::knows_zone) {
                Ok(config) => configs.push((origin.clone(), config)),
                Err(found) => {
                    if let Some(first) = found.first() {
                        machine.warn("quiet hours and budget stay as they were", first);
                    }
                    return last.clone();
                }
            }
        }
        *last = Settings::of(configs);
        last.clone()
    }
}

fn quiet(hours: &[Setting<QuietHours>], local: &TimeZone, now: Timestamp) -> Option<Hold> {
    let zoned: Vec<(QuietHours, TimeZone)> = hours
        .iter()
        .map(|set| {
            let named = set.value.zone.as_deref().and_then(|name| TimeZone::get(name).ok());
            (set.value.clone(), named.unwrap_or_else(|| local.clone()))
        })
        .collect();
    let until = is_quiet(&zoned, now)?;
    let end = jiff::Timestamp::from_millisecond(until.0).ok()?.to_zoned(local.clone());
    let why = format!("quiet hours until {} (`quiet_hours`)", end.strftime("%a %H:%M %Z"));
    Some(Hold { until, why })
}

fn used_up(budget: &Setting<f64>, spent: f64) -> String {
    let (most, file) = (budget.value, budget.origin.file().unwrap_or("the command line"));
    format!(
        "{spent:.2} of {most:.2} USD for today are used up (`day_budget_usd` in {file}); \
         it goes on tomorrow, or with more there after `windlass pause` and `windlass resume`"
    )
}

/// When this day began, and when the next one does.
fn day_of(now: Timestamp, zone: &TimeZone) -> Option<(Timestamp, Timestamp)> {
    let date = jiff::Timestamp::from_millisecond(now.0).ok()?.to_zoned(zone.clone()).date();
    let start = |date: jiff::civil::Date| {
        let midnight = date.to_zoned(zone.clone()).ok()?;
        Some(Timestamp(midnight.timestamp().as_millisecond()))
    };
    Some((start(date)?, start(date.tomorrow().ok()?)?))
}
