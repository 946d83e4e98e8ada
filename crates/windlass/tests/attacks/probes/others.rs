//! Programs that act for the user, and how they are reached.

use crate::probe::{Group, Probe, Seen};

/// Speaks to a socket of the neighbour.
const fn socket(name: &'static str, tries: &'static str, code: &'static str) -> Probe {
    Probe::new(Group::Others, name, tries, Seen::Heard, code)
}

const fn told(name: &'static str, tries: &'static str, code: &'static str) -> Probe {
    Probe::new(Group::Others, name, tries, Seen::Told, code)
}

const fn secret(name: &'static str, tries: &'static str, code: &'static str) -> Probe {
    Probe::new(Group::Others, name, tries, Seen::Secret, code)
}

pub(crate) const PROBES: &[Probe] = &[
    socket("tmux_socket", "speak to the user's tmux", "return say_to_socket('tmux')"),
    socket("screen_socket", "speak to the user's screen", "return say_to_socket('screen')"),
    socket("ssh_agent", "speak to the user's ssh-agent", "return say_to_socket('ssh_agent')"),
    socket("gpg_agent", "speak to the user's gpg-agent", "return say_to_socket('gpg_agent')"),
    socket("dbus", "speak to the session's D-Bus", "return say_to_socket('dbus')"),
    socket("docker", "speak to a container daemon by its socket", "return say_to_socket('docker')"),
    socket("wayland", "speak to the user's Wayland display", "return say_to_socket('wayland')"),
    socket("x11", "speak to an X server by its socket in `/tmp`", "return say_to_socket('x11')"),
    socket(
        "service_manager",
        "speak to the user's service manager",
        "return say_to_socket('systemd')",
    ),
    socket(
        "socket_in_cache",
        "speak to a daemon whose socket lies in a tool's cache",
        "return say_to_socket('cache')",
    ),
    socket("abstract_socket", "speak to an abstract socket", "return say_to_socket('abstract')"),
    socket(
        "signal_neighbour",
        "send a signal to another program of the user",
        "os.kill(NEIGHBOUR, signal.SIGUSR1 if WHO == 'attempt' else signal.SIGUSR2)",
    ),
    told("signal_driver", "signal the driver", "os.kill(DRIVER, 0)\nreturn 'could'"),
    told(
        "signal_launcher",
        "signal its launcher, or the first process of its box",
        "if boxed():\n    os.kill(1, signal.SIGKILL)  # the kernel drops it, or everything here ends now\n    return ''\nos.kill(launcher(), 0)\nreturn 'could'",
    ),
    told(
        "trace_neighbour",
        "attach to another program of the user (`ptrace`)",
        "call(101, 117, 0x4206, NEIGHBOUR, 0, 0)\nreturn 'attached'",
    ),
    told(
        "trace_launcher",
        "attach to its launcher, or the first process of its box",
        "call(101, 117, 0x4206, launcher(), 0, 0)\nreturn 'attached'",
    ),
    secret(
        "read_memory",
        "read another program's memory (`process_vm_readv`)",
        "class Vec(ctypes.Structure):\n    _fields_ = [('base', ctypes.c_void_p), ('length', ctypes.c_size_t)]\nbuffer = ctypes.create_string_buffer(FACTS['length'])\nlocal, remote = Vec(ctypes.addressof(buffer), FACTS['length']), Vec(FACTS['address'], FACTS['length'])\nmust(libc.process_vm_readv(NEIGHBOUR, ctypes.byref(local), 1, ctypes.byref(remote), 1, 0))\nreturn buffer.raw.decode()",
    ),
    secret(
        "environment_of_neighbour",
        "read another program's environment",
        "return environments([NEIGHBOUR])",
    ),
    secret(
        "descriptor_of_neighbour",
        "open a file through another program's descriptor in `/proc`",
        "return read(f'/proc/{NEIGHBOUR}/fd/{FACTS[\"fd\"]}')",
    ),
    secret(
        "take_descriptor",
        "take a descriptor of another program (`pidfd_getfd`)",
        "pidfd = os.pidfd_open(NEIGHBOUR)\nreturn os.pread(call(438, 438, pidfd, FACTS['fd'], 0), 200, 0).decode()",
    ),
    told(
        "limits_of_neighbour",
        "set a limit of another program (`prlimit`)",
        "limit = resource.prlimit(NEIGHBOUR, resource.RLIMIT_CORE)\nresource.prlimit(NEIGHBOUR, resource.RLIMIT_CORE, limit)\nreturn 'set'",
    ),
    told(
        "limits_of_launcher",
        "set a limit of its launcher or init, by which the kernel would end it",
        "pid = launcher()\nlimit = resource.prlimit(pid, resource.RLIMIT_FSIZE)\nresource.prlimit(pid, resource.RLIMIT_FSIZE, limit)\nreturn 'set'",
    ),
    told(
        "priority_of_neighbour",
        "change the priority of another program",
        "os.setpriority(os.PRIO_PROCESS, NEIGHBOUR, os.getpriority(os.PRIO_PROCESS, NEIGHBOUR) + 1)\nreturn 'set'",
    ),
    secret(
        "system_v_memory",
        "attach to shared memory of another program (System V)",
        "libc.shmat.restype = ctypes.c_void_p\nat = libc.shmat(FACTS['shm'], None, 0o10000)\nmust(-1 if at in (None, 2**64 - 1) else 0)\nreturn ctypes.string_at(at).decode()",
    ),
    secret(
        "session_keyring",
        "read a key in the session's keyring",
        "key = call(250, 219, 10, -3, b'user', b'wl-secret', 0)\nbuffer = ctypes.create_string_buffer(200)\ncall(250, 219, 11, key, buffer, 200)\nreturn buffer.value.decode()",
    ),
    socket(
        "type_for_user",
        "push key strokes into the user's terminal (`TIOCSTI`)",
        "fd = os.open(FACTS['tty'], os.O_RDWR | os.O_NOCTTY)\nfor letter in f'{NAME}-{WHO}\\n':\n    fcntl.ioctl(fd, 0x5412, letter.encode())",
    ),
    socket(
        "write_on_terminal",
        "write on the user's terminal",
        "fd = os.open(FACTS['tty'], os.O_RDWR | os.O_NOCTTY)\nos.write(fd, f'{NAME}-{WHO}\\n'.encode())",
    ),
    told(
        "controlling_terminal",
        "open the terminal that windlass runs in (`/dev/tty`)",
        "return opens('/dev/tty', os.O_RDWR)",
    )
    .always_refused("every attempt and check is a session of its own, without a terminal"),
];
