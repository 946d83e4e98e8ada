//! Where on the disk rooms lie.
//!
//! Ext4 puts a folder beside the one that it is in, and gives no number of a file away again for a
//! minute or more after the file was removed: it looks at all of them first, one by one. Rooms are
//! removed all the time, some with thousands of files, so that after a while each file that is made
//! beside them costs as much as fifty made elsewhere. Folders of a folder that is marked as the top of
//! a hierarchy are spread over the disk instead.

use std::path::Path;

use rustix::fs::{IFlags, Mode, OFlags, ioctl_getflags, ioctl_setflags};

/// Has the folders that will be made in this one spread over the disk, where the file system can.
///
/// It is a wish: a file system that knows nothing of it does as it always does.
pub fn spread(folder: &Path) {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let Ok(opened) = rustix::fs::open(folder, flags, Mode::empty()) else { return };
    if let Ok(known) = ioctl_getflags(&opened)
        && !known.contains(IFlags::TOPDIR)
    {
        let _ = ioctl_setflags(&opened, known | IFlags::TOPDIR);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_keeps_its_other_marks() {
        let dir = tempfile::tempdir().unwrap();
        let marks = || ioctl_getflags(fs_err::File::open(dir.path()).unwrap().file());
        let Ok(before) = marks() else { return };
        spread(dir.path());
        spread(dir.path());
        let after = marks().unwrap();
        assert_eq!(after - IFlags::TOPDIR, before - IFlags::TOPDIR);
    }
}
