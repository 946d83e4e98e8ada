//! Large files: pointers in git, content in the place and the verifier's tree.

use sha2::Digest as _;

use crate::world::{BRANCH, World, git, write};

fn pointer(content: &str) -> (String, String) {
    let oid = format!("{:x}", sha2::Sha256::digest(content));
    let size = content.len();
    let text =
        format!("version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {size}\n");
    (text, format!(".git/lfs/objects/{}/{}/{oid}", &oid[..2], &oid[2..4]))
}

/// A repository with one large file whose content is there and one whose content is not.
fn world() -> World {
    let world = World::new();
    let (text, path) = pointer("large content");
    world.write_user(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n");
    world.write_user("a.bin", &text);
    world.write_user("missing.bin", &pointer("never seen").0);
    world.commit_user("large");
    write(&world.user().join(path), "large content");
    world
}

#[test]
fn places_and_fresh_clones_have_the_content_and_git_has_pointers() {
    let world = world();
    let mut run = world.start();
    let read = |path: std::path::PathBuf| fs_err::read_to_string(path).unwrap();
    assert_eq!(read(run.root().join("a.bin")), "large content");
    assert_eq!(read(run.root().join("missing.bin")), pointer("never seen").0);
    assert_eq!(run.snapshot().code, run.last.tree);
    assert_eq!(run.git(["status", "--porcelain"]), "");

    run.write("a.bin", "changed content");
    run.write("new/b.bin", "new content");
    let snapshot = run.snapshot();
    assert_eq!(run.bytes(&snapshot.code, "a.bin"), pointer("changed content").0.as_bytes());
    assert_eq!(run.bytes(&snapshot.code, "new/b.bin"), pointer("new content").0.as_bytes());
    let tree = world.clone_of(&run);
    tree.checkout(&run, &snapshot.code);
    assert_eq!(read(tree.dir().join("a.bin")), "changed content");
    assert_eq!(read(tree.dir().join("new/b.bin")), "new content");
    // Whoever takes the filter away has pointers in every clone.
    run.write(".gitattributes", "* -filter\n");
    let without = run.snapshot();
    assert_eq!(run.bytes(&without.code, "a.bin"), pointer("changed content").0.as_bytes());
    tree.checkout(&run, &without.code);
    assert_eq!(read(tree.dir().join("a.bin")), pointer("changed content").0);

    run.publish();
    for content in ["changed content", "new content"] {
        assert_eq!(read(world.user().join(pointer(content).1)), content);
    }
    let shown = git(&world.user(), ["show", &format!("{BRANCH}:a.bin")]);
    assert_eq!(shown, pointer("changed content").0.trim_end());
}

#[test]
fn a_checkout_with_large_files_can_be_the_place() {
    let world = world();
    // What git-lfs does at checkout, and how it is set up in a repository.
    git(&world.user(), ["config", "filter.lfs.clean", "cat .git/pointers/%f"]);
    for (name, content) in [("a.bin", "large content"), ("missing.bin", "never seen")] {
        write(&world.user().join(".git/pointers").join(name), &pointer(content).0);
    }
    world.write_user("a.bin", "large content");
    git(&world.user(), ["add", "-A"]);
    let mut run = world.try_here().unwrap();
    assert_eq!(run.snapshot().code, run.last.tree);
}
