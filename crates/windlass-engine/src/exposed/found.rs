//! What `PATH` and the variables of tools lead to, and what the user adds.

use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::{Around, Exposed, How};

/// Variables that name the folder of a toolchain.
const TOOLCHAINS: &[&str] = &[
    "ANDROID_HOME",
    "ANDROID_SDK_ROOT",
    "ASDF_DATA_DIR",
    "ASDF_DIR",
    "CONDA_PREFIX",
    "DOTNET_ROOT",
    "GOROOT",
    "GRADLE_HOME",
    "JAVA_HOME",
    "M2_HOME",
    "MAVEN_HOME",
    "MISE_DATA_DIR",
    "NVM_DIR",
    "PYENV_ROOT",
    "RBENV_ROOT",
    "RUSTUP_HOME",
    "SDKMAN_DIR",
    "VIRTUAL_ENV",
    "VOLTA_HOME",
];

/// Variables that name files or folders that programs read.
const READ: &[&str] = &[
    "CURL_CA_BUNDLE",
    "GIT_SSL_CAINFO",
    "LD_LIBRARY_PATH",
    "NIX_SSL_CERT_FILE",
    "NODE_EXTRA_CA_CERTS",
    "PIP_CERT",
    "PIP_FIND_LINKS",
    "PKG_CONFIG_PATH",
    "REQUESTS_CA_BUNDLE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "UV_FIND_LINKS",
];

/// Parts of `CARGO_HOME` and `GOPATH` without keys.
const PARTS: &[(&str, &[(&str, How)])] = &[
    ("CARGO_HOME", &[("bin", How::Programs), ("registry", How::Cache), ("git", How::Cache)]),
    ("GOPATH", &[("bin", How::Programs), ("pkg", How::Cache)]),
];

/// Folders that a version manager needs whole, although only one below is on `PATH`.
const MANAGERS: &[&str] =
    &[".asdf", ".fnm", ".nvm", ".pyenv", ".rbenv", ".rustup", ".rvm", ".sdkman", ".volta", "mise"];

/// How many entries of a folder on `PATH` are followed; no folder of programs has more.
const MAX_ENTRIES: usize = 4000;

/// How much of a script is read to find its interpreter.
const MAX_FIRST_LINE: u64 = 512;

pub(super) fn look(around: &Around<'_>, exposed: &mut Exposed) {
    for path in around.added {
        // By a bind: what the user names may be a socket, and changes while it is shown.
        exposed.show(path, How::System, around.hidden);
    }
    for variable in TOOLCHAINS {
        if let Some(folder) = around.variable(variable).map(Path::new) {
            show_folder(folder, around, exposed);
        }
    }
    for (variable, parts) in PARTS {
        let Some(folder) = around.variable(variable).map(PathBuf::from) else { continue };
        for (part, how) in *parts {
            exposed.show(&folder.join(part), *how, around.hidden);
        }
    }
    for variable in READ {
        for path in std::env::split_paths(around.variable(variable).unwrap_or_default()) {
            if path.is_absolute() {
                let how = if path.is_dir() { How::Programs } else { How::System };
                exposed.show(&path, how, around.hidden);
            }
        }
    }
    for folder in std::env::split_paths(around.variable("PATH").unwrap_or_default()) {
        look_on_path(&folder, around, exposed);
    }
}

fn show_folder(folder: &Path, around: &Around<'_>, exposed: &mut Exposed) {
    if folder.is_absolute() && folder.is_dir() {
        exposed.show(folder, How::Programs, around.hidden);
    }
}

/// Shows a folder of programs, what its links lead to, and the interpreters of its scripts.
fn look_on_path(folder: &Path, around: &Around<'_>, exposed: &mut Exposed) {
    if !folder.is_absolute() || !folder.is_dir() {
        return;
    }
    if is_of_the_system(folder) {
        return;
    }
    if let Some(manager) = manager_of(folder) {
        show_folder(&manager, around, exposed);
    }
    // The programs of a Python environment look for their library beside their folder.
    if let Some(environment) = folder.parent().filter(|parent| parent.join("pyvenv.cfg").is_file())
    {
        show_folder(environment, around, exposed);
    }
    show_folder(folder, around, exposed);
    let Ok(entries) = fs_err::read_dir(folder) else { return };
    for entry in entries.flatten().take(MAX_ENTRIES) {
        show_program(&entry.path(), around, exposed);
    }
}

/// Shows what a program needs that lies outside its own folder: the target of a link, the interpreter
/// of a script.
pub(crate) fn show_program(program: &Path, around: &Around<'_>, exposed: &mut Exposed) {
    let Ok(real) = program.canonicalize() else { return };
    if real != program && !exposed.covers(&real) {
        exposed.show(&installation_of(&real), How::Programs, around.hidden);
        if !exposed.covers(&real) {
            exposed.show(&real, How::System, around.hidden);
        }
    }
    if let Some(interpreter) = interpreter_of(&real).filter(|path| !exposed.covers(path)) {
        exposed.show(&installation_of(&interpreter), How::Programs, around.hidden);
        let target = interpreter.canonicalize().unwrap_or(interpreter);
        exposed.show(&installation_of(&target), How::Programs, around.hidden);
    }
}

fn is_of_the_system(folder: &Path) -> bool {
    ["/usr", "/bin", "/sbin", "/opt", "/nix", "/snap"].iter().any(|top| folder.starts_with(top))
}

/// The folder of a version manager that a path leads through.
fn manager_of(path: &Path) -> Option<PathBuf> {
    let is_manager = |folder: &&Path| {
        let name = folder.file_name().and_then(|name| name.to_str());
        name.is_some_and(|name| MANAGERS.contains(&name))
    };
    path.ancestors().find(is_manager).map(Path::to_owned)
}

/// The folder that a program was installed with: the outermost `node_modules`, what holds its `bin`,
/// or its own folder.
pub(crate) fn installation_of(program: &Path) -> PathBuf {
    let named = |folder: &Path, name: &str| folder.file_name().is_some_and(|own| own == name);
    let modules = program.ancestors().filter(|folder| named(folder, "node_modules")).last();
    let parent = program.parent().unwrap_or(program);
    let is_repository = |folder: &Path| folder.join(".git").symlink_metadata().is_ok();
    match (modules, parent.parent()) {
        (Some(modules), _) => modules.to_owned(),
        // A program that was linked from a checkout brings its folder, and not the repository around it.
        (None, Some(prefix)) if named(parent, "bin") && !is_repository(prefix) => prefix.to_owned(),
        (None, _) if is_repository(parent) => program.to_owned(),
        (None, _) => parent.to_owned(),
    }
}

/// The interpreter that a script names in its first line.
fn interpreter_of(script: &Path) -> Option<PathBuf> {
    let file = fs_err::File::open(script).ok()?;
    if !file.metadata().ok()?.is_file() {
        return None;
    }
    let mut start = Vec::new();
    file.take(MAX_FIRST_LINE).read_to_end(&mut start).ok()?;
    let line = start.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?;
    let path = PathBuf::from(line.split_whitespace().next()?);
    (path.is_absolute() && !is_of_the_system(&path)).then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn around<'a>(env: &'a [(String, String)], hidden: &'a [PathBuf]) -> Around<'a> {
        Around { env, hidden, added: &[] }
    }

    fn file(path: &Path, text: &str) {
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, text).unwrap();
    }

    #[test]
    fn a_program_on_path_brings_what_its_link_and_its_first_line_lead_to() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let home = root.join("home");
        file(&home.join("tools/lib/node_modules/x/bin/x.js"), "#!/usr/bin/env node\n");
        file(&home.join("venvs/y/bin/python"), "");
        file(
            &home.join("own/bin/y"),
            &format!("#!{}\n", home.join("venvs/y/bin/python").display()),
        );
        std::os::unix::fs::symlink(
            "../../tools/lib/node_modules/x/bin/x.js",
            home.join("own/bin/x"),
        )
        .unwrap();
        file(&home.join(".ssh/id"), "key");
        let env = [("PATH", home.join("own/bin")), ("HOME", home.clone())];
        let env = env.map(|(name, path)| (name.to_owned(), path.to_string_lossy().into_owned()));
        let exposed = Exposed::look(&around(&env, &[]));
        for shown in ["own/bin/y", "tools/lib/node_modules/x/package.json", "venvs/y/bin/python"] {
            assert!(exposed.covers(&home.join(shown)), "{shown}: {:?}", exposed.listed());
        }
        for hidden in [".ssh/id", "tools/lib/other", "own/other"] {
            assert!(!exposed.covers(&home.join(hidden)), "{hidden}");
        }
    }

    #[test]
    fn a_program_that_is_linked_from_a_checkout_shows_no_repository() {
        let root = tempfile::tempdir().unwrap();
        let home = root.path().canonicalize().unwrap();
        for name in ["repos/one/.git/config", "repos/one/.env", "repos/one/bin/lib.sh"] {
            file(&home.join(name), "token");
        }
        file(&home.join("repos/one/bin/tool"), "#!/bin/sh\n");
        file(&home.join("repos/two/.git/config"), "token");
        file(&home.join("repos/two/tool"), "#!/bin/sh\n");
        fs_err::create_dir_all(home.join("own/bin")).unwrap();
        for (link, target) in [("one", "repos/one/bin/tool"), ("two", "repos/two/tool")] {
            let link = home.join("own/bin").join(link);
            std::os::unix::fs::symlink(home.join(target), link).unwrap();
        }
        let env = [("PATH", home.join("own/bin")), ("HOME", home.clone())];
        let env = env.map(|(name, path)| (name.to_owned(), path.to_string_lossy().into_owned()));
        let exposed = Exposed::look(&around(&env, &[]));
        for shown in ["repos/one/bin/tool", "repos/one/bin/lib.sh", "repos/two/tool"] {
            assert!(exposed.covers(&home.join(shown)), "{shown}: {:?}", exposed.listed());
        }
        for hidden in ["repos/one/.env", "repos/one/.git/config", "repos/two/.git/config"] {
            assert!(!exposed.covers(&home.join(hidden)), "{hidden}");
        }
    }

    #[test]
    fn a_folder_above_what_must_stay_hidden_is_not_shown() {
        let root = tempfile::tempdir().unwrap();
        let root = root.path().canonicalize().unwrap();
        let (home, project) = (root.join("home"), root.join("project"));
        file(&root.join("agent"), "#!/bin/sh\n");
        file(&project.join("bin/x"), "");
        fs_err::create_dir_all(&home).unwrap();
        let path = format!("{}:{}", root.display(), project.join("bin").display());
        let env = [("PATH", path), ("HOME", home.to_string_lossy().into_owned())];
        let env = env.map(|(name, value)| (name.to_owned(), value));
        let hidden = [project.clone()];
        let exposed = Exposed::look(&around(&env, &hidden));
        assert!(!exposed.covers(&root.join("agent")) && !exposed.covers(&project.join("bin/x")));
        assert_eq!(exposed.refused(), [root, project.join("bin")]);
    }
}
