//! Calls and files of the kernel through which a program leaves its namespaces or changes the machine.
//! Devices are opened and closed, never used.

use crate::probe::{Group, Probe, Seen};

const fn told(name: &'static str, tries: &'static str, code: &'static str) -> Probe {
    Probe::new(Group::Kernel, name, tries, Seen::Told, code)
}

pub(crate) const PROBES: &[Probe] = &[
    told(
        "own_device",
        "make a device node and open it (the kernel's log)",
        "path = scratch(NAME) + '/log'\nos.mknod(path, 0o600 | stat.S_IFCHR, os.makedev(1, 11))\nreturn opens(path)",
    ),
    told("kernel_log", "open the kernel's log for writing", "return opens('/dev/kmsg')"),
    told(
        "kernel_messages",
        "ask for the kernel's messages (`syslog`)",
        "return call(103, 116, 3, ctypes.create_string_buffer(10), 10) + 1",
    ),
    told(
        "other_device",
        "open a device of the host beside the few that programs expect",
        "for name in ['fuse', 'net/tun', 'kvm', 'loop-control', 'hwrng']:\n    if os.path.exists('/dev/' + name):\n        return opens('/dev/' + name, os.O_RDONLY)",
    ),
    told(
        "machine_socket",
        "make a socket to the host of this virtual machine (vsock)",
        "return socket.socket(40, socket.SOCK_STREAM).fileno()",
    ),
    told(
        "machine_socket_by_ring",
        "make that socket by io_uring, which no filter of system calls sees",
        "params = bytearray(120)\nbuffer = (ctypes.c_char * 120).from_buffer(params)\nring = call(425, 425, 4, buffer)\nsq = struct.unpack_from('10I', params, 40)\ncq = struct.unpack_from('10I', params, 80)\nentries = struct.unpack_from('I', params, 0)[0]\nqueue = mmap.mmap(ring, max(sq[6] + entries * 4, cq[5] + 16 * 16), offset=0)\nsqes = mmap.mmap(ring, 64 * entries, offset=0x10000000)\nstruct.pack_into('BBHiQQII', sqes, 0, 45, 0, 0, 40, socket.SOCK_STREAM, 0, 0, 0)\nstruct.pack_into('I', queue, sq[6], 0)\nstruct.pack_into('I', queue, sq[1], 1)\ncall(426, 426, ring, 1, 1, 1, None, 0)\ndone = struct.unpack_from('QiI', queue, cq[5])\nif done[1] < 0:\n    raise OSError(-done[1], os.strerror(-done[1]))\nreturn done",
    ),
    told(
        "raw_socket",
        "make a raw socket",
        "return socket.socket(socket.AF_INET, socket.SOCK_RAW, 1).fileno()",
    ),
    told(
        "packet_socket",
        "listen to the packets of a network device",
        "return socket.socket(17, socket.SOCK_RAW, socket.htons(3)).fileno()",
    ),
    told(
        "own_user_namespace",
        "become root of a user namespace of its own",
        "must(libc.unshare(NEWUSER))\nreturn 'made'",
    )
    .open("a namespace alone gives nothing: mounts, devices and the filter of system calls stay as they are"),
    told(
        "own_mount",
        "mount a folder in memory",
        "own_mounts()\nmount(b'tmpfs', scratch(NAME))\nreturn 'mounted'",
    )
    .open("only in rooms: suites of checks may mount in namespaces of their own; a box refuses it"),
    told(
        "writable_again",
        "make a read-only folder of the system writable again",
        "own_mounts()\nlibc.mount(b'/usr', b'/usr', None, 0x1000, None)\nmust(libc.mount(None, b'/usr', None, 0x1020, None))\nreturn makes_file_in('/usr/lib')",
    ),
    told(
        "uncover_shadow",
        "take away what covers `/etc/shadow` and read it",
        "own_mounts()\nlibc.umount2(b'/etc/shadow', 2)\nreturn read('/etc/shadow', 5) and 'something'",
    ),
    told(
        "uncover_settings",
        "take away what makes the kernel's settings read-only",
        "own_mounts()\nlibc.umount2(b'/proc/sys', 2)\nreturn opens('/proc/sys/kernel/core_pattern')",
    ),
    told(
        "fresh_proc",
        "mount a new `/proc` and open the kernel's settings there",
        "own_mounts()\nmust(libc.unshare(NEWPID))\nat = scratch(NAME)\npid = os.fork()\nif pid == 0:\n    try:\n        mount(b'proc', at)\n        opens(at + '/sys/kernel/core_pattern')\n        os._exit(0)\n    except OSError:\n        os._exit(1)\nreturn os.waitpid(pid, 0)[1] == 0",
    ),
    told(
        "fresh_sys",
        "mount a new `/sys` and open a setting there",
        "own_mounts()\nlibc.unshare(0x40000000)\nat = scratch(NAME)\nmount(b'sysfs', at)\nreturn opens(at + '/kernel/mm/transparent_hugepage/enabled')",
    ),
    told(
        "fresh_cgroup",
        "mount the control groups anew and open a limit of its own",
        "own_mounts()\nlibc.unshare(NEWCGROUP)\nat = scratch(NAME)\nmount(b'cgroup2', at)\nreturn opens(at + '/cgroup.procs')",
    ),
    told(
        "bind_over_place",
        "put another folder over the place, for whoever looks at it later",
        "own_mounts()\nother = scratch(NAME)\nmust(libc.mount(other.encode(), os.getcwd().encode(), None, 0x1000, None))\nreturn 'covered'",
    )
    .open("only in rooms, and only for the command itself: the mount ends with it"),
    told(
        "join_namespace",
        "enter the namespaces of another program (`setns`)",
        "fd = os.open(f'/proc/{NEIGHBOUR}/ns/uts', os.O_RDONLY)\nmust(libc.setns(fd, 0))\nreturn 'entered'",
    ),
    told(
        "load_program",
        "load a program into the kernel (`bpf`)",
        "attr = struct.pack('IIII', 2, 4, 4, 1) + b'\\0' * 100\nreturn call(321, 280, 0, attr, 72)",
    ),
    told(
        "measure_kernel",
        "count events of the whole machine (`perf_event_open`)",
        "attr = struct.pack('IIQ', 1, 112, 0) + b'\\0' * 100\nreturn call(298, 241, attr, -1, 0, -1, 0)",
    ),
    told(
        "host_name",
        "name the machine anew (with its own name)",
        "name = os.uname().nodename.encode()\nmust(libc.sethostname(name, len(name)))\nreturn 'set'",
    ),
    told(
        "set_user_bit",
        "make a program that others would run with its rights (set-user-ID)",
        "path = 'suid-' + WHO\nopen(path, 'w').close()\nos.chmod(path, 0o4755)\nmode = os.stat(path).st_mode\nflags = os.statvfs('.').f_flag\nos.unlink(path)\nreturn mode & 0o4000 and not flags & 2",
    )
    .open("only in attempts, in the place: a snapshot does not keep the bit, and the place lies in the user's home"),
];
