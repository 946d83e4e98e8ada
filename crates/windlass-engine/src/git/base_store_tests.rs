use super::*;

/// A folder of objects with files of these names.
fn objects(files: &[&str]) -> tempfile::TempDir {
    let dir = tempfile::tempdir().unwrap();
    for file in files {
        let path = dir.path().join(file);
        fs_err::create_dir_all(path.parent().unwrap()).unwrap();
        fs_err::write(path, file).unwrap();
    }
    dir
}

fn listed(dir: &tempfile::TempDir) -> Listed {
    Listed::of(&[dir.path().to_owned()]).unwrap()
}

const LOOSE: &str = "ab/0123456789012345678901234567890123456789";

#[test]
fn only_whole_packs_and_objects_are_listed() {
    let dir = objects(&[
        LOOSE,
        "ab/tmp_obj_x",
        "pack/pack-1.pack",
        "pack/pack-1.idx",
        "pack/pack-1.rev",
        "pack/pack-1.keep",
        "pack/pack-2.pack",
        "pack/multi-pack-index",
        "pack/tmp_pack_x",
        "info/packs",
        "info/alternates",
    ]);
    let link = dir.path().join("ab/1111111111111111111111111111111111111111");
    std::os::unix::fs::symlink("/etc/passwd", link).unwrap();
    let listed = listed(&dir);
    assert_eq!(listed.loose.keys().collect::<Vec<_>>(), [Path::new(LOOSE)]);
    let packs: Vec<String> = listed.packs.keys().map(|p| p.display().to_string()).collect();
    assert_eq!(packs, ["pack/pack-1.idx", "pack/pack-1.pack", "pack/pack-1.rev"]);
}

#[test]
fn a_repack_is_noticed_and_new_objects_are_none() {
    let dir = objects(&[LOOSE, "pack/pack-1.pack", "pack/pack-1.idx"]);
    let before = listed(&dir);
    fs_err::write(dir.path().join(LOOSE.replace("ab/0", "ab/1")), "new").unwrap();
    let now = listed(&dir);
    assert!(before.still_holds(&now) && before.name() != now.name());
    fs_err::write(dir.path().join("pack/pack-2.pack"), "").unwrap();
    assert!(before.still_holds(&listed(&dir)), "a pack without its index is none yet");
    fs_err::write(dir.path().join("pack/pack-2.idx"), "").unwrap();
    assert!(!before.still_holds(&listed(&dir)));
    fs_err::remove_file(dir.path().join("pack/pack-2.idx")).unwrap();
    fs_err::remove_file(dir.path().join(LOOSE)).unwrap();
    assert!(!before.still_holds(&listed(&dir)));
}

#[test]
fn a_store_is_whole_or_not_there() {
    let dir = objects(&[LOOSE, "pack/pack-1.pack", "pack/pack-1.idx"]);
    let base = tempfile::tempdir().unwrap();
    let folders = [dir.path().to_owned()];
    let store = make(base.path(), &folders).unwrap().unwrap();
    assert_eq!(make(base.path(), &folders).unwrap(), Some(store.clone()));
    assert!(store.join(OBJECTS).join(LOOSE).is_file());
    assert_eq!(Listed::of(&[store.join(OBJECTS)]).unwrap().name(), listed(&dir).name());
    assert_eq!(fs_err::read_dir(base.path()).unwrap().count(), 1, "no draft is left");
}

#[test]
fn what_cannot_be_linked_gives_no_store_and_leaves_nothing() {
    let dir = objects(&[LOOSE]);
    let base = tempfile::tempdir().unwrap();
    // The kernel's own files are on another disk, and nobody may link them.
    let mut listed = listed(&dir);
    listed.loose.insert(PathBuf::from("cd/x"), PathBuf::from("/proc/self/status"));
    let error = listed.link(&base.path().join(OBJECTS)).unwrap_err();
    assert!(cannot_be_linked(&error), "{error:?}");
}
