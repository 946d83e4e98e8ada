//! System calls that no program of a box or a room has any use for.
//!
//! The second line behind namespaces: what is refused here either reaches past them (keyrings and
//! virtual sockets belong to no namespace), types for somebody (`TIOCSTI`), or is a part of the
//! kernel that only its administrators use.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch,
};

use super::view::Rights;

/// Refused in boxes and rooms.
const REFUSED: &[libc::c_long] = &[
    libc::SYS_acct,
    libc::SYS_add_key,
    libc::SYS_bpf,
    libc::SYS_delete_module,
    libc::SYS_finit_module,
    libc::SYS_init_module,
    // What goes through a ring is seen by no filter.
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_io_uring_setup,
    libc::SYS_kexec_file_load,
    libc::SYS_kexec_load,
    libc::SYS_keyctl,
    libc::SYS_open_by_handle_at,
    libc::SYS_perf_event_open,
    libc::SYS_quotactl,
    libc::SYS_reboot,
    libc::SYS_request_key,
    libc::SYS_setns,
    libc::SYS_swapoff,
    libc::SYS_swapon,
    libc::SYS_syslog,
    libc::SYS_userfaultfd,
    libc::SYS_vhangup,
];

/// Refused in boxes, and in rooms of root: nothing that an agent does needs mounts, and in a namespace
/// of its own root could mount what belongs to the machine. Suites in the room of an ordinary user may
/// bring sandboxes.
const MOUNTS: &[libc::c_long] = &[
    libc::SYS_chroot,
    libc::SYS_fsconfig,
    libc::SYS_fsmount,
    libc::SYS_fsopen,
    libc::SYS_fspick,
    libc::SYS_mount,
    libc::SYS_mount_setattr,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_pivot_root,
    libc::SYS_umount2,
];

/// Requests to a terminal that type for whoever sits at it.
const TYPING: [u64; 2] = [libc::TIOCSTI, libc::TIOCLINUX];

/// Builds the filter.
pub(super) fn filter(rights: Rights) -> Result<BpfProgram, String> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = BTreeMap::new();
    let refuses_mounts = rights == Rights::None || rustix::process::geteuid().is_root();
    let mounts = if refuses_mounts { MOUNTS } else { &[] };
    for call in REFUSED.iter().chain(mounts) {
        rules.insert(*call, Vec::new());
    }
    for request in TYPING {
        rules.entry(libc::SYS_ioctl).or_default().push(when(1, SeccompCmpOp::Eq, request)?);
    }
    // A virtual machine's socket to its host belongs to no network namespace.
    let vsock = u64::try_from(libc::AF_VSOCK).unwrap_or(40);
    rules.insert(libc::SYS_socket, vec![when(0, SeccompCmpOp::Eq, vsock)?]);
    // Limits of others: with them a program could have its own init killed.
    rules.insert(libc::SYS_prlimit64, vec![when(0, SeccompCmpOp::Ne, 0)?]);
    let refuse = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(|error| error.to_string())?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch);
    filter.and_then(BpfProgram::try_from).map_err(|error| error.to_string())
}

fn when(argument: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompRule, String> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
        .and_then(|condition| SeccompRule::new(vec![condition]))
        .map_err(|error| error.to_string())
}
