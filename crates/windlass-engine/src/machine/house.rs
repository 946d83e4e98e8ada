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

#[cfg(test)]
mod tests {
    use windlass_core::view::Spend;

    use super::super::spend;
    use super::*;

    /// 2027-01-15T08:00:00Z.
    const NOW: Timestamp = Timestamp(1_800_000_000_000);

    fn spent(machine: &Machine, repository: &str, cost_usd: Option<f64>, at: Timestamp) {
        let usage = windlass_core::proof::Usage { cost_usd, ..Default::default() };
        let spend = Spend {
            repository: repository.to_owned(),
            run: "k3".to_owned(),
            attempt: format!("build#{}", at.0),
            day: String::new(),
            step: "build".to_owned(),
            agent: "developer".to_owned(),
            backend: "command".to_owned(),
            usage,
            outcome: "exited".to_owned(),
            at,
        };
        // Twice is once.
        for _ in 0..2 {
            machine.write(|tx| spend::add(tx, &spend)).unwrap();
        }
    }

    #[test]
    fn a_users_budget_is_about_all_repositories_and_a_repositorys_about_itself() {
        let folder = tempfile::tempdir().unwrap();
        let machine = Machine::new(folder.path(), |_| {});
        let (user, repository) = (folder.path().join("u.yaml"), folder.path().join("r.yaml"));
        let rules = HouseRules::new(vec![
            (Origin::Repository("r.yaml".to_owned()), repository.clone()),
            (Origin::User("u.yaml".to_owned()), user.clone()),
        ]);
        let hold = || rules.hold(&machine, "here", NOW).unwrap();
        assert_eq!(hold(), None, "no files, no rules");
        spent(&machine, "elsewhere", Some(5.0), NOW);
        spent(&machine, "here", Some(1.0), NOW);
        spent(&machine, "here", None, Timestamp(NOW.0 + 1));
        spent(&machine, "here", Some(50.0), Timestamp(NOW.0 - 3 * 86_400_000));
        fs_err::write(&repository, "day_budget_usd: 2\n").unwrap();
        fs_err::write(&user, "day_budget_usd: 10\n").unwrap();
        assert_eq!(hold(), None);
        fs_err::write(&user, "day_budget_usd: 6\n").unwrap();
        let held = hold().unwrap();
        assert!(held.why.starts_with("6.00 of 6.00 USD"), "{held:?}");
        assert!(held.until > NOW && held.until <= Timestamp(NOW.0 + 25 * 3_600_000), "{held:?}");
        fs_err::write(&user, "").unwrap();
        assert_eq!(hold(), None);
        fs_err::write(&repository, "day_budget_usd: 1\n").unwrap();
        assert!(hold().unwrap().why.contains("in r.yaml"));
    }

    #[test]
    fn a_mistake_in_a_file_leaves_what_held_before() {
        let folder = tempfile::tempdir().unwrap();
        let machine = Machine::new(folder.path(), |_| {});
        let file = folder.path().join("u.yaml");
        let rules = HouseRules::new(vec![(Origin::User("u.yaml".to_owned()), file.clone())]);
        fs_err::write(&file, "quiet_hours: 00:00-24:00\n").unwrap();
        let held = rules.hold(&machine, "here", NOW).unwrap();
        assert!(held.is_some());
        fs_err::write(&file, "quiet_hours: [\n").unwrap();
        assert_eq!(rules.hold(&machine, "here", NOW).unwrap(), held);
        fs_err::remove_file(&file).unwrap();
        assert_eq!(rules.hold(&machine, "here", NOW).unwrap(), None);
    }
}
