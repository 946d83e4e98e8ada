//! The few calls that no safe wrapper offers. All unsafe code of the engine's processes is here.
#![expect(unsafe_code, reason = "system calls without a safe wrapper in rustix or std")]

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Runs `step` in the child between fork and exec.
///
/// Callers hold the launcher's promise: the calling process has one thread. The closure may then do
/// what any code may, allocation and locks included, because no other thread can have held a lock
/// at the fork.
pub(super) fn before_exec(
    command: &mut Command,
    step: impl FnMut() -> io::Result<()> + Send + Sync + 'static,
) {
    // SAFETY: the launcher has one thread, so the child's copy of the address space is consistent.
    // The closure touches only descriptors that it owns.
    unsafe {
        command.pre_exec(step);
    }
}

/// Sets every signal to its default action and blocks none.
///
/// Exec resets handlers but keeps what is *ignored*: under `nohup`, or below a shell that ignores
/// SIGINT for background jobs, a program would otherwise inherit deaf ears.
pub(super) fn reset_signals() {
    // SAFETY: `signal` and `sigprocmask` with valid constants; a zeroed `sigset_t` is initialised by
    // `sigemptyset` before use. Signals that cannot be changed (KILL, STOP, those of the C library)
    // answer with an error and stay as they are.
    unsafe {
        for signal in 1..=libc::SIGRTMAX() {
            libc::signal(signal, libc::SIG_DFL);
        }
        let mut none: libc::sigset_t = std::mem::zeroed();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
    }
}

/// Marks every descriptor from 3 on to be closed by exec.
pub(super) fn close_on_exec_from_three() -> io::Result<()> {
    // SAFETY: no memory is passed, and no descriptor is closed under its owner: exec does that.
    let result = unsafe {
        libc::syscall(libc::SYS_close_range, 3, libc::c_uint::MAX, libc::CLOSE_RANGE_CLOEXEC)
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Returns the kernel's Landlock ABI.
pub(super) fn landlock_abi() -> io::Result<i32> {
    const CREATE_RULESET_VERSION: libc::c_uint = 1;
    // SAFETY: with this flag and a null attribute of size zero the call only returns a number.
    let abi = unsafe {
        libc::syscall(
            libc::SYS_landlock_create_ruleset,
            std::ptr::null::<libc::c_void>(),
            0_usize,
            CREATE_RULESET_VERSION,
        )
    };
    if abi < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(i32::try_from(abi).unwrap_or(i32::MAX))
}

/// What the processes that were waited for have used.
pub(super) struct ChildrenUsage {
    pub(super) cpu_ms: u64,
    pub(super) max_rss_kb: u64,
}

/// Returns what all reaped children, and theirs, have used.
pub(super) fn children_usage() -> ChildrenUsage {
    // SAFETY: `rusage` is plain numbers, for which zero is valid, and the call only writes into it.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage);
        usage
    };
    let ms = |time: libc::timeval| {
        u64::try_from(time.tv_sec).unwrap_or(0) * 1000
            + u64::try_from(time.tv_usec).unwrap_or(0) / 1000
    };
    ChildrenUsage {
        cpu_ms: ms(usage.ru_utime) + ms(usage.ru_stime),
        max_rss_kb: u64::try_from(usage.ru_maxrss).unwrap_or(0),
    }
}
