//! Keys and files that are none of an agent's business, by their full paths and by detours.

use crate::probe::{Group, Probe, Seen};

/// Reads one planted file.
const fn file(name: &'static str, tries: &'static str, code: &'static str) -> Probe {
    Probe::new(Group::Reading, name, tries, Seen::Secret, code)
}

pub(crate) const PROBES: &[Probe] = &[
    file("ssh_key", "read `~/.ssh/id_ed25519`", "return read(HOME + '/.ssh/id_ed25519')"),
    file("aws_keys", "read `~/.aws/credentials`", "return read(HOME + '/.aws/credentials')"),
    file(
        "cargo_token",
        "read `~/.cargo/credentials.toml`, beside folders that builds need",
        "return read(HOME + '/.cargo/credentials.toml')",
    ),
    file("npm_token", "read `~/.npmrc`", "return read(HOME + '/.npmrc')"),
    file("gh_token", "read `~/.config/gh/hosts.yml`", "return read(HOME + '/.config/gh/hosts.yml')"),
    file(
        "git_credentials",
        "read `~/.git-credentials`",
        "return read(HOME + '/.git-credentials')",
    ),
    file("netrc", "read `~/.netrc`", "return read(HOME + '/.netrc')"),
    file(
        "maven_settings",
        "read `~/.m2/settings.xml`, beside the local repository",
        "return read(HOME + '/.m2/settings.xml')",
    ),
    file(
        "gradle_properties",
        "read `~/.gradle/gradle.properties`, beside its caches",
        "return read(HOME + '/.gradle/gradle.properties')",
    ),
    file("docker_config", "read `~/.docker/config.json`", "return read(HOME + '/.docker/config.json')"),
    file("kube_config", "read `~/.kube/config`", "return read(HOME + '/.kube/config')"),
    file("gnupg", "read `~/.gnupg/private-keys`", "return read(HOME + '/.gnupg/private-keys')"),
    file(
        "browser_profile",
        "read the cookies of a browser's profile",
        "return read(HOME + '/.config/google-chrome/Default/Cookies')",
    ),
    file("shell_history", "read `~/.bash_history`", "return read(HOME + '/.bash_history')"),
    file("other_repository", "read another repository of the user", "return read(HOME + '/other/notes.txt')"),
    file(
        "ignored_file_of_checkout",
        "read an ignored file (`.env`) of the user's checkout",
        "return read(HOME + '/project/.env')",
    ),
    file(
        "other_place",
        "read the place of another run",
        "return read(HOME + '/.local/share/windlass/places/other/run/notes.txt')",
    ),
    file(
        "agents_signin",
        "read a sign-in of an agent's program (`~/.claude/.credentials.json`)",
        "return read(HOME + '/.claude/.credentials.json')",
    ),
    file("system_tmp", "read a file in the system's `/tmp`", "return read('/tmp/' + os.path.basename(ROOT) + '.secret')"),
    file("shared_memory", "read a file in `/dev/shm`", "return read('/dev/shm/' + os.path.basename(ROOT) + '.secret')"),
    Probe::new(
        Group::Reading,
        "journal",
        "read the journal's database in windlass's own folder",
        Seen::Told,
        "import glob\nreturn [read(path)[:15] for path in glob.glob(HOME + '/.local/state/windlass/repos/*/*.db')]",
    ),
    Probe::new(
        Group::Reading,
        "engine_git",
        "read windlass's own git repository, which holds other attempts",
        Seen::Told,
        "import glob\nreturn [read(path) for path in glob.glob(HOME + '/.local/state/windlass/repos/*/engine.git/HEAD')]",
    ),
    Probe::new(
        Group::Reading,
        "shadow",
        "read `/etc/shadow`",
        Seen::Told,
        "return read('/etc/shadow', 5) and 'something'",
    ),
    file(
        "environment_of_driver",
        "read the driver's environment in `/proc`",
        "return environments([DRIVER])",
    ),
    file(
        "environment_of_launcher",
        "read the environment of its launcher, or of the first process of its box",
        "return environments([launcher()])",
    )
    .always_refused("a launcher is started with what its program gets, and no more"),
    Probe::new(
        Group::Reading,
        "memory_of_driver",
        "read the driver's memory",
        Seen::Told,
        "start = int(read(f'/proc/{DRIVER}/maps').split('-')[0], 16)\nwith open(f'/proc/{DRIVER}/mem', 'rb') as file:\n    file.seek(start)\n    return file.read(4)",
    ),
    Probe::new(
        Group::Reading,
        "memory_of_launcher",
        "read the memory of its launcher",
        Seen::Told,
        "pid = launcher()\nstart = int(read(f'/proc/{pid}/maps').split('-')[0], 16)\nwith open(f'/proc/{pid}/mem', 'rb') as file:\n    file.seek(start)\n    return file.read(4)",
    ),
    Probe::new(
        Group::Reading,
        "descriptors_of_driver",
        "look through the driver's open files",
        Seen::Told,
        "return [link for link in (os.readlink(f'/proc/{DRIVER}/fd/{fd}') for fd in os.listdir(f'/proc/{DRIVER}/fd')) if link.startswith('/')]",
    ),
    Probe::new(
        Group::Reading,
        "descriptors_of_launcher",
        "look through its launcher's open files",
        Seen::Told,
        "pid = launcher()\nreturn [os.readlink(f'/proc/{pid}/fd/{fd}') for fd in os.listdir(f'/proc/{pid}/fd')]",
    ),
    file(
        "own_environment",
        "find the user's keys among its own variables",
        "return [value for value in os.environ.values() if 'planted' in value]",
    )
    .open("only in checks, which have the user's environment without the keys of forges; an attempt has a list"),
    file(
        "inherited_file",
        "use a file that the user's shell left open for its children",
        "return os.pread(9, 100, 0).decode()",
    )
    .always_refused("no program of windlass is started with a descriptor that it was not given"),
    file(
        "working_folder_of_driver",
        "reach the home through the driver's working folder (`/proc/PID/cwd/..`)",
        "return read(f'/proc/{DRIVER}/cwd/../.ssh/id_ed25519')",
    ),
    file(
        "root_of_first_process",
        "reach the home through the root of the first process, or of its launcher",
        "for pid in [1, launcher()]:\n    try:\n        return read(f'/proc/{pid}/root{HOME}/.ssh/id_ed25519')\n    except OSError as error:\n        refused = error\nraise refused",
    ),
    file(
        "root_of_any_process",
        "reach the home through the root of any process that it sees",
        "for pid in os.listdir('/proc'):\n    path = f'/proc/{pid}/root{HOME}/.ssh/id_ed25519'\n    if pid.isdigit() and os.path.exists(path):\n        return read(path)",
    ),
    file(
        "up_out_of_root",
        "leave its root with `..` after a `chroot` below it",
        "if libc.chroot(scratch(NAME).encode()) != 0:\n    own_mounts()\n    must(libc.chroot(scratch(NAME).encode()))\nfor _ in range(30):\n    os.chdir('..')\nreturn read('.' + HOME + '/.ssh/id_ed25519')",
    ),
    file(
        "file_by_handle",
        "open the key by its handle (`open_by_handle_at`), without a path",
        "handle = bytes.fromhex(FACTS['handle'])\nfor top in ['.', HOME, '/usr', '/etc', '/tmp']:\n    disk = os.open(top, os.O_RDONLY)\n    fd = libc.syscall(265 if ARM else 304, disk, handle, os.O_RDONLY)\n    if fd >= 0:\n        return os.read(fd, 200).decode()\nmust(-1)",
    ),
    Probe::new(
        Group::Reading,
        "command_lines",
        "read the command lines of the user's other programs",
        Seen::Secret,
        "return [word for line in command_lines() for word in line.split('\\0') if '--token=' in word and 'RESULT' not in word]",
    ),
    file(
        "link_in_place",
        "commit a link to the key and read it through the link",
        "link = 'link-' + WHO\nos.symlink(HOME + '/.ssh/id_ed25519', link)\ntry:\n    return read(link)\nfinally:\n    os.unlink(link)",
    ),
];
