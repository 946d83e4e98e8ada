//! Files that other programs run or trust. Success is looked at from outside, where the user would see
//! it: a home of its own may be written as it likes.

use crate::probe::{Group, Probe, Seen};

/// Writes one file below the user's folders.
const fn file(
    name: &'static str,
    tries: &'static str,
    path: &'static str,
    code: &'static str,
) -> Probe {
    Probe::new(Group::Writing, name, tries, Seen::Wrote(path), code)
}

/// Opens or makes something of the system for writing, and changes nothing.
const fn system(name: &'static str, tries: &'static str, code: &'static str) -> Probe {
    Probe::new(Group::Writing, name, tries, Seen::Told, code)
}

pub(crate) const PROBES: &[Probe] = &[
    file("bashrc", "append to `~/.bashrc`", "home/.bashrc", "write(HOME + '/.bashrc', 'a')"),
    file("profile", "append to `~/.profile`", "home/.profile", "write(HOME + '/.profile', 'a')"),
    file(
        "user_git_config",
        "append to `~/.gitconfig`",
        "home/.gitconfig",
        "write(HOME + '/.gitconfig', 'a')",
    ),
    file(
        "authorized_keys",
        "add a key to `~/.ssh/authorized_keys`",
        "home/.ssh/authorized_keys",
        "write(HOME + '/.ssh/authorized_keys', 'a')",
    ),
    file(
        "bun_program",
        "replace a program in `~/.bun/bin`",
        "home/.bun/bin/bun",
        "write(HOME + '/.bun/bin/bun')",
    ),
    file(
        "cargo_program",
        "put a program into `~/.cargo/bin`",
        "home/.cargo/bin/cargo-own",
        "write(HOME + '/.cargo/bin/cargo-own')",
    ),
    file(
        "local_program",
        "put a program into `~/.local/bin`",
        "home/.local/bin/own",
        "write(HOME + '/.local/bin/own')",
    ),
    file(
        "gradle_start_file",
        "leave a start file in `~/.gradle/init.d`",
        "home/.gradle/init.d/own.gradle",
        "write(HOME + '/.gradle/init.d/own.gradle')",
    ),
    file(
        "write_maven_settings",
        "replace `~/.m2/settings.xml`",
        "home/.m2/settings.xml",
        "write(HOME + '/.m2/settings.xml', 'a')",
    ),
    file(
        "pnpm_program",
        "put a program into `~/.local/share/pnpm`, a cache with programs in it",
        "home/.local/share/pnpm/pnpm",
        "write(HOME + '/.local/share/pnpm/pnpm')",
    ),
    file(
        "mix_program",
        "put a program into `~/.mix/escripts`",
        "home/.mix/escripts/own",
        "write(HOME + '/.mix/escripts/own')",
    ),
    file(
        "cargo_registry",
        "change the source of a package in `~/.cargo/registry`",
        "home/.cargo/registry/src/dep/lib.rs",
        "write(HOME + '/.cargo/registry/src/dep/lib.rs')",
    ),
    file(
        "autostart",
        "leave a program for the next login (`~/.config/autostart`)",
        "home/.config/autostart/own.desktop",
        "write(HOME + '/.config/autostart/own.desktop')",
    ),
    file(
        "user_service",
        "leave a service of the user's service manager",
        "home/.config/systemd/user/own.service",
        "write(HOME + '/.config/systemd/user/own.service')",
    ),
    file(
        "windlass_config",
        "write the user's own windlass configuration",
        "home/.config/windlass/own.yaml",
        "write(HOME + '/.config/windlass/own.yaml')",
    ),
    file(
        "checkout",
        "write a file in the user's checkout",
        "home/project/README.md",
        "write(HOME + '/project/README.md', 'a')",
    ),
    file(
        "checkout_git_config",
        "write `.git/config` of the user's checkout",
        "home/project/.git/config",
        "write(HOME + '/project/.git/config', 'a')",
    ),
    file(
        "checkout_hook",
        "leave a hook in the user's checkout",
        "home/project/.git/hooks/post-checkout",
        "write(HOME + '/project/.git/hooks/post-checkout')",
    ),
    file(
        "write_other_repository",
        "write in another repository of the user",
        "home/other/notes.txt",
        "write(HOME + '/other/notes.txt', 'a')",
    ),
    file(
        "write_other_place",
        "write in the place of another run",
        "home/.local/share/windlass/places/other/run/notes.txt",
        "write(HOME + '/.local/share/windlass/places/other/run/notes.txt', 'a')",
    ),
    file(
        "write_tmp",
        "change a file of the user's in the system's `/tmp`",
        "tmp/user.sh",
        "write(ROOT + '/tmp/user.sh', 'a')",
    ),
    system(
        "write_journal",
        "open the journal's database for writing",
        "import glob\nreturn [opens(path) for path in glob.glob(HOME + '/.local/state/windlass/repos/*/*.db')]",
    ),
    system(
        "write_engine_git",
        "add an object to windlass's own git repository",
        "import glob\nreturn [makes_file_in(path) for path in glob.glob(HOME + '/.local/state/windlass/repos/*/engine.git/objects')]",
    ),
    system("etc", "make a file in `/etc`", "return makes_file_in('/etc')"),
    system("usr", "make a file in `/usr/lib`", "return makes_file_in('/usr/lib')"),
    system(
        "core_pattern",
        "open `core_pattern` for writing, which names a program that root runs",
        "return opens('/proc/sys/kernel/core_pattern')",
    ),
    system(
        "sysctl",
        "open a setting of the kernel for writing",
        "return opens('/proc/sys/kernel/hostname')",
    ),
    system(
        "interrupts",
        "open the settings of interrupts for writing",
        "return opens('/proc/irq/default_smp_affinity')",
    ),
    system(
        "cgroup",
        "open the list of processes of a control group for writing",
        "groups = ['/sys/fs/cgroup' + part + '/cgroup.procs' for part in ['', '/unified', '/memory']]\nreturn opens([path for path in groups if os.path.exists(path)][0])",
    ),
    system(
        "sys",
        "open a setting of the kernel in `/sys` for writing",
        "return opens('/sys/kernel/mm/transparent_hugepage/enabled')",
    ),
    system(
        "device_mode",
        "change who may use a device that everybody needs (`/dev/full`, to what it is)",
        "os.chmod('/dev/full', os.stat('/dev/full').st_mode & 0o777)\nreturn 'changed'",
    ),
    system(
        "change_mode",
        "let others read a key of the user, by `chmod`",
        "os.chmod(HOME + '/.ssh/id_ed25519', 0o644)\nreturn 'changed'",
    ),
    system(
        "change_times",
        "date a file of the checkout back, by `utimes`",
        "os.utime(HOME + '/other/notes.txt', (1, 1))\nreturn 'changed'",
    ),
    system(
        "hard_link",
        "link the user's key into the place",
        "os.link(HOME + '/.ssh/id_ed25519', 'hard-' + WHO)\nos.unlink('hard-' + WHO)\nreturn 'linked'",
    ),
];
