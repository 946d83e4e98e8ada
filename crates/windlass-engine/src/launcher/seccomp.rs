//! System calls that no program of a box or a room has any use for.
//!
//! The second line behind namespaces: what is refused here either reaches past them (keyrings and
//! virtual sockets belong to no namespace), types for somebody (`TIOCSTI`), or is a part of the
//! kernel that only its administrators use.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, TargetArch, sock_filter,
};

use super::policy::HereNetwork;
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

/// What is around a program besides the filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Around {
    /// Namespaces: other processes and networks are out of sight.
    Namespaces,
    /// Landlock alone, with this network.
    Landlock(HereNetwork),
}

/// Builds the filter.
pub(super) fn filter(rights: Rights, around: Around) -> Result<BpfProgram, String> {
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
    if let Around::Landlock(network) = around {
        // Priorities of other programs, which no Landlock knows: its own is number 0.
        let of_user = u64::from(libc::PRIO_USER);
        for call in [libc::SYS_setpriority, libc::SYS_ioprio_set] {
            let others = vec![when(1, SeccompCmpOp::Ne, 0)?, when(0, SeccompCmpOp::Eq, of_user)?];
            rules.insert(call, others);
        }
        if network == HereNetwork::None {
            // Loopback goes with it: without a namespace there is none that is not the machine's.
            for family in [libc::AF_INET, libc::AF_INET6, libc::AF_PACKET] {
                let family = u64::try_from(family).unwrap_or_default();
                let sockets = rules.entry(libc::SYS_socket).or_default();
                sockets.push(when(0, SeccompCmpOp::Eq, family)?);
            }
        }
    }
    // Limits of others: with them a program could have its own init killed.
    rules.insert(libc::SYS_prlimit64, vec![when(0, SeccompCmpOp::Ne, 0)?]);
    let refuse = SeccompAction::Errno(libc::EPERM.cast_unsigned());
    let arch = TargetArch::try_from(std::env::consts::ARCH).map_err(|error| error.to_string())?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, arch);
    let listed = filter.and_then(BpfProgram::try_from).map_err(|error| error.to_string())?;
    Ok(without_other_numbers(listed))
}

/// The bit that makes a number one of the x32 ABI, under which every call can be made a second time and
/// some have numbers of their own. The kernel calls both ABIs one architecture.
const X32_BIT: u32 = 0x4000_0000;

/// Puts before a filter that a number of the x32 ABI is no call, as in a kernel without it.
fn without_other_numbers(listed: BpfProgram) -> BpfProgram {
    if std::env::consts::ARCH != "x86_64" {
        return listed;
    }
    let nothing_there = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.cast_unsigned();
    let instruction = |code: u32, jf: u8, k: u32| sock_filter {
        code: u16::try_from(code).unwrap_or(u16::MAX),
        jt: 0,
        jf,
        k,
    };
    // The number is the first word of what a filter looks at. Jumps are relative, so the rest of the
    // program stays as it is.
    let mut program = vec![
        instruction(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0),
        instruction(libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K, 1, X32_BIT),
        instruction(libc::BPF_RET | libc::BPF_K, 0, nothing_there),
    ];
    program.extend(listed);
    program
}

fn when(argument: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompRule, String> {
    SeccompCondition::new(argument, SeccompCmpArgLen::Dword, operator, value)
        .and_then(|condition| SeccompRule::new(vec![condition]))
        .map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a filter answers for a call without arguments, as the kernel would work it out.
    fn answer(program: &[sock_filter], number: u32) -> u32 {
        let architecture = 0xc000_003e;
        let (mut at, mut value) = (0, 0);
        loop {
            let each = &program[at];
            at += 1;
            let code = u32::from(each.code);
            let jump = |holds: bool| usize::from(if holds { each.jt } else { each.jf });
            match code & 0x07 {
                libc::BPF_LD => {
                    value = match each.k {
                        0 => number,
                        4 => architecture,
                        _ => 0,
                    }
                }
                libc::BPF_RET => return each.k,
                libc::BPF_JMP => match code & 0xf0 {
                    libc::BPF_JA => at += usize::try_from(each.k).unwrap(),
                    libc::BPF_JEQ => at += jump(value == each.k),
                    libc::BPF_JGE => at += jump(value >= each.k),
                    libc::BPF_JGT => at += jump(value > each.k),
                    libc::BPF_JSET => at += jump(value & each.k != 0),
                    other => panic!("jump {other:#x}"),
                },
                libc::BPF_ALU => value &= each.k,
                other => panic!("instruction {other:#x}"),
            }
        }
    }

    #[test]
    fn no_call_goes_by_another_number() {
        if std::env::consts::ARCH != "x86_64" {
            return;
        }
        let program = filter(Rights::None, Around::Namespaces).unwrap();
        let refused = libc::SECCOMP_RET_ERRNO | libc::EPERM.cast_unsigned();
        let no_call = libc::SECCOMP_RET_ERRNO | libc::ENOSYS.cast_unsigned();
        let number = |call: libc::c_long| u32::try_from(call).unwrap();
        assert_eq!(answer(&program, number(libc::SYS_getpid)), libc::SECCOMP_RET_ALLOW);
        for call in REFUSED.iter().chain(MOUNTS) {
            assert_eq!(answer(&program, number(*call)), refused, "{call}");
            assert_eq!(answer(&program, number(*call) | X32_BIT), no_call, "{call}");
        }
        // The x32 number of `ioctl`, which has no other.
        assert_eq!(answer(&program, 514 | X32_BIT), no_call);
    }
}
