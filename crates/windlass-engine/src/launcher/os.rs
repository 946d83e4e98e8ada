//! The few calls that no safe wrapper offers. All unsafe code of the engine's processes is here.
#![expect(unsafe_code, reason = "system calls without a safe wrapper in rustix or std")]

use std::io;
use std::os::fd::{AsRawFd as _, BorrowedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Runs `step` in the child between fork and exec.
///
/// # Safety
/// The calling process has one thread. The closure may then do what any code may, allocation and locks
/// included, because no other thread can have held a lock at the fork.
pub(super) unsafe fn before_exec(
    command: &mut Command,
    step: impl FnMut() -> io::Result<()> + Send + Sync + 'static,
) {
    // SAFETY: the caller has one thread, so the child's copy of the address space is consistent.
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

/// What the calling process is after [`fork_into`].
pub(super) enum Forked {
    /// The one that called.
    Parent(i32),
    /// The new one: first in a process namespace of its own.
    Child,
}

/// Forks into new namespaces.
///
/// Callers hold the launcher's promise: the calling process has one thread.
pub(super) fn fork_into(namespaces: u64) -> io::Result<Forked> {
    // SAFETY: `clone_args` is plain numbers, for which zero is valid. Without `CLONE_VM` and with no
    // stack given, the call is a fork: the child goes on in a copy of this address space, which one
    // thread alone has used.
    let pid = unsafe {
        let mut arguments: libc::clone_args = std::mem::zeroed();
        arguments.flags = namespaces;
        arguments.exit_signal = libc::SIGCHLD as u64;
        libc::syscall(libc::SYS_clone3, &raw mut arguments, std::mem::size_of::<libc::clone_args>())
    };
    match i32::try_from(pid) {
        Ok(0) => Ok(Forked::Child),
        Ok(pid) if pid > 0 => Ok(Forked::Parent(pid)),
        Ok(_) | Err(_) => Err(io::Error::last_os_error()),
    }
}

/// Ends this process at once, without unwinding into what belongs to the process it was forked from.
pub(super) fn end(code: i32) -> ! {
    // SAFETY: `_exit` runs nothing of this process.
    unsafe { libc::_exit(code) }
}

/// Closes every descriptor from 3 on but `kept`.
///
/// Only for a process that was forked and never returns to the owners of those descriptors.
pub(super) fn close_all_but(kept: i32) {
    let kept = libc::c_uint::try_from(kept).unwrap_or(3).max(3);
    let close = |from: libc::c_uint, to: libc::c_uint| {
        // SAFETY: no memory is passed; the owners of these descriptors do not exist in this process.
        unsafe { libc::syscall(libc::SYS_close_range, from, to, 0) };
    };
    if kept > 3 {
        close(3, kept - 1);
    }
    close(kept + 1, libc::c_uint::MAX);
}

/// Makes all mounts of a tree read-only.
pub(super) fn set_mounts_read_only(tree: BorrowedFd<'_>) -> io::Result<()> {
    // SAFETY: the attributes are plain numbers, the path is an empty C string, and both outlive the
    // call.
    let result = unsafe {
        let mut attributes: libc::mount_attr = std::mem::zeroed();
        attributes.attr_set = libc::MOUNT_ATTR_RDONLY;
        libc::syscall(
            libc::SYS_mount_setattr,
            tree.as_raw_fd(),
            c"".as_ptr(),
            libc::AT_EMPTY_PATH | libc::AT_RECURSIVE,
            &raw const attributes,
            std::mem::size_of::<libc::mount_attr>(),
        )
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Brings the loopback device of a new network namespace up.
pub(super) fn raise_loopback() -> io::Result<()> {
    let socket = std::net::UdpSocket::bind("0.0.0.0:0")?;
    // SAFETY: `ifreq` is plain data, for which zero is valid; its name ends in zero, and the kernel
    // reads and writes no more than the structure.
    let result = unsafe {
        let mut request: libc::ifreq = std::mem::zeroed();
        request.ifr_name[0] = b'l' as libc::c_char;
        request.ifr_name[1] = b'o' as libc::c_char;
        let up = libc::IFF_UP | libc::IFF_RUNNING;
        request.ifr_ifru.ifru_flags = libc::c_short::try_from(up).unwrap_or(0);
        libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFFLAGS, &raw const request)
    };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

/// Leaves the session keyring of whoever started this process for a new, empty one.
pub(super) fn new_session_keyring() {
    const JOIN_SESSION_KEYRING: libc::c_int = 1;
    // SAFETY: a null name asks for an anonymous keyring. Where the kernel has no keyrings there is
    // none to leave.
    unsafe {
        libc::syscall(libc::SYS_keyctl, JOIN_SESSION_KEYRING, std::ptr::null::<libc::c_char>())
    };
}

/// Makes the cgroup that this process is in the root of those that it sees.
pub(super) fn new_cgroup_namespace() -> io::Result<()> {
    // SAFETY: no memory is passed; only this process's view of cgroups changes.
    let result = unsafe { libc::unshare(libc::CLONE_NEWCGROUP) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
