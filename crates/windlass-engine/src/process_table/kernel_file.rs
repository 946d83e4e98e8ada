//! Small files of `/proc`.

use std::io::{self, Read as _};

/// As much as the kernel writes of a process at once.
const USUAL_BYTES: usize = 4096;

/// Reads a file of `/proc`, whose length nobody knows before: asking for it, and growing a buffer from
/// nothing, would take twice as many calls of the kernel. A hook reads some thirty of them.
pub(crate) fn read(path: &str) -> io::Result<Vec<u8>> {
    let mut file = std::fs::File::open(path)?;
    let mut bytes = vec![0; USUAL_BYTES];
    let mut length = 0;
    loop {
        if length == bytes.len() {
            bytes.resize(2 * length, 0);
        }
        match file.read(&mut bytes[length..]) {
            Ok(0) => break,
            Ok(read) => length += read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    bytes.truncate(length);
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_any_length_is_read_whole() {
        let folder = tempfile::tempdir().unwrap();
        for length in [0, 1, USUAL_BYTES - 1, USUAL_BYTES, USUAL_BYTES + 1, 5 * USUAL_BYTES] {
            let file = folder.path().join(length.to_string());
            let text: Vec<u8> = (0..length).map(|at| u8::try_from(at % 251).unwrap()).collect();
            fs_err::write(&file, &text).unwrap();
            assert_eq!(read(file.to_str().unwrap()).unwrap(), text);
        }
        assert!(read("/proc/self/no such file").is_err());
        assert!(read("/proc/self/stat").unwrap().ends_with(b"\n"));
    }
}
