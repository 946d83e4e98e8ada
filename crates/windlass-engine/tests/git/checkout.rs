//! What a fresh clone has: trees checked out as a person's git would do it.

use std::path::PathBuf;

use crate::world::{World, git, write};

/// Returns every file below a folder with its content, as `git clone` or windlass wrote it.
fn files(folder: &std::path::Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(folder) = open.pop() {
        for entry in fs_err::read_dir(&folder).unwrap().flatten() {
            let path = entry.path();
            if entry.file_name() == ".git" {
                continue;
            }
            if entry.file_type().unwrap().is_dir() {
                open.push(path);
            } else {
                let content = match fs_err::read_link(&path) {
                    Ok(target) => target.to_string_lossy().into_owned().into_bytes(),
                    Err(_) => fs_err::read(&path).unwrap(),
                };
                found.push((path, content));
            }
        }
    }
    let mut found: Vec<_> = found
        .into_iter()
        .map(|(path, content)| (path.strip_prefix(folder).unwrap().to_owned(), content))
        .collect();
    found.sort();
    found
}

#[test]
fn a_checkout_is_what_git_clone_gives() {
    let world = World::new();
    let mut run = world.start();
    run.write(".gitattributes", "*.txt text eol=crlf\n*.id ident\n");
    run.write("a.txt", "one\ntwo\n");
    run.write("b.id", "$Id$\n");
    run.write("deep/er/file", "x");
    std::os::unix::fs::symlink("a.txt", run.root().join("link")).unwrap();
    run.publish();
    let tree = world.clone_of(&run);
    tree.checkout(&run, &run.last.tree);
    let cloned = world.path("cloned");
    let (user, target) = (world.user(), cloned.to_string_lossy().into_owned());
    git(&user, ["clone", "-q", "-b", run.place.branch(), ".", &target]);
    assert_eq!(files(&tree.dir()), files(&cloned));
    assert!(files(&cloned).iter().any(|(_, content)| content == b"one\r\ntwo\r\n"));
}

#[test]
fn a_layer_has_what_differs_and_says_what_is_gone() {
    let world = World::new();
    let mut run = world.start();
    run.write("README", "changed");
    run.write("new/file", "x");
    fs_err::remove_dir_all(run.root().join("src")).unwrap();
    let snapshot = run.snapshot();
    let (layer, shape) = world.clone_of(&run).changes(&run, &snapshot.code);
    let names: Vec<PathBuf> = files(&layer).into_iter().map(|(path, _)| path).collect();
    assert_eq!(names, ["README", "new/file"].map(PathBuf::from));
    assert_eq!(shape.gone, [PathBuf::from("src")]);
}

#[test]
fn a_change_of_attributes_checks_everything_out_anew() {
    let world = World::new();
    write(&world.user().join("kept.txt"), "one\ntwo\n");
    world.commit_user("a text");
    let mut run = world.start();
    run.write(".gitattributes", "kept.txt text eol=crlf\n");
    let snapshot = run.snapshot();
    let (layer, _) = world.clone_of(&run).changes(&run, &snapshot.code);
    assert_eq!(fs_err::read(layer.join("kept.txt")).unwrap(), b"one\r\ntwo\r\n");
    assert!(!layer.join("README").exists(), "what is the same stays below");
}
