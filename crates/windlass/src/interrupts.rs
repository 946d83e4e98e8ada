//! Ctrl-C and the other signals that ask for an end.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::{Handle, Signals};
use windlass_engine::dispatch::DriverHandle;

use crate::ask;
use crate::error::CommandError;
use crate::output::{note, show_live};

/// The signals that ask for an end.
const ENDS: [i32; 3] = [SIGINT, SIGTERM, SIGHUP];

/// Before a run is in the journal there is nothing to pause: an end is an end, and is said.
pub(crate) struct BeforeStart {
    signals: Handle,
}

impl BeforeStart {
    pub(crate) fn listen() -> Result<Self, CommandError> {
        let mut signals = Signals::new(ENDS).map_err(CommandError::failure)?;
        let handle = signals.handle();
        std::thread::spawn(move || {
            if signals.forever().next().is_some() {
                show_live(Vec::new());
                note(
                    "stopped: no run was started, and your checkout is as it was; the next `windlass \
                     run` removes what was made so far",
                );
                leave_at_once();
            }
        });
        Ok(Self { signals: handle })
    }
}

impl Drop for BeforeStart {
    fn drop(&mut self) {
        self.signals.close();
    }
}

/// Ctrl-C: once stops cleanly, twice now.
pub(crate) struct Interrupts {
    driver: Arc<Mutex<Option<DriverHandle>>>,
    asked: Arc<AtomicBool>,
    heeded: Arc<AtomicBool>,
}

impl Interrupts {
    pub(crate) fn listen() -> Result<Self, CommandError> {
        let driver: Arc<Mutex<Option<DriverHandle>>> = Arc::default();
        let (asked, heeded) = (Arc::<AtomicBool>::default(), Arc::<AtomicBool>::default());
        let mut signals = Signals::new(ENDS).map_err(CommandError::failure)?;
        let interrupts = Self { driver, asked, heeded };
        let (target, asked) = (Arc::clone(&interrupts.driver), Arc::clone(&interrupts.asked));
        let heeded = Arc::clone(&interrupts.heeded);
        std::thread::spawn(move || {
            for _ in signals.forever() {
                let before = asked.swap(true, Ordering::SeqCst);
                let handle = target.lock().unwrap_or_else(PoisonError::into_inner).clone();
                match handle {
                    Some(handle) if !before => {
                        note(
                            "stopping: the running attempt is ended and its files are kept; `windlass \
                             resume` goes on (Ctrl-C again leaves at once)",
                        );
                        handle.interrupt();
                    }
                    None if !before && heeded.load(Ordering::SeqCst) => {}
                    // Everything below dies with this process: the launchers see to it.
                    _ => leave_at_once(),
                }
            }
        });
        Ok(interrupts)
    }

    /// From here on the caller asks [`Interrupts::is_asked`] also while nothing is driven, so the
    /// first Ctrl-C is left to it.
    pub(crate) fn heed(&self) {
        self.heeded.store(true, Ordering::SeqCst);
    }

    /// Whether somebody wants an end.
    pub(crate) fn is_asked(&self) -> bool {
        self.asked.load(Ordering::SeqCst)
    }

    /// A Ctrl-C from before counts for the driver too.
    pub(crate) fn send_to(&self, driver: Option<DriverHandle>) {
        let mut target = self.driver.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(driver) = driver.as_ref().filter(|_| self.is_asked()) {
            driver.interrupt();
        }
        *target = driver;
    }
}

#[expect(
    clippy::exit,
    reason = "a second Ctrl-C means now; the journal is consistent at any instant"
)]
fn leave_at_once() {
    ask::keyboard::leave();
    std::process::exit(130);
}
