//! Many cases beside each other.

use std::sync::{Mutex, PoisonError};

/// Works on all cases with some threads; a case that panics fails the test when all are done.
///
/// Cases wait for disks and children most of the time, so more threads than cores pay.
pub fn in_parallel<T: Send>(threads: usize, cases: Vec<T>, work: impl Fn(T) + Sync) {
    let cases = Mutex::new(cases.into_iter());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let next = cases.lock().unwrap_or_else(PoisonError::into_inner).next();
                    let Some(case) = next else { return };
                    work(case);
                }
            });
        }
    });
}
