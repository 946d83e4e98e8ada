//! What differs from recording to recording: folders, commits, runs.

use std::collections::BTreeMap;
use std::path::Path;

use windlass_testkit::Random;

/// The folder that the recording shows.
const FOLDER: &str = "/tmp/windlass-demo";

/// The run that the recording shows.
const RUN: &str = "k3v9x2ab";

/// What stands before the run's name in its branch.
const BRANCH: &str = "by-name-";

/// Object names are at least this long, and the first so many digits tell them apart.
const DIGITS: usize = 7;

/// Replaces names by others, the same ones in every recording.
pub(crate) struct Names {
    root: String,
    objects: BTreeMap<String, String>,
}

impl Names {
    pub(crate) fn new(root: &Path) -> Self {
        Self { root: format!("{}/tmp/windlass-demo-", root.display()), objects: BTreeMap::new() }
    }

    pub(crate) fn replaced(&mut self, screen: &str) -> String {
        let lines: Vec<String> = screen
            .lines()
            .map(|line| {
                let line = self.folder(line);
                self.objects(&run(&line))
            })
            .collect();
        lines.join("\n")
    }

    /// The demo's folder has a random end of six characters. A remark keeps its column.
    fn folder(&self, line: &str) -> String {
        let Some((before, after)) = line.split_once(&self.root) else { return line.to_owned() };
        let end = after.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(after.len());
        let rest = &after[end..];
        let gap = (self.root.len() + end).saturating_sub(FOLDER.len());
        let gap = if rest.trim_start().starts_with(['#', '\x1b']) { gap } else { 0 };
        format!("{before}{FOLDER}{}{rest}", " ".repeat(gap))
    }

    fn objects(&mut self, line: &str) -> String {
        let mut out = String::new();
        let mut word = String::new();
        for c in line.chars() {
            if c.is_ascii_alphanumeric() {
                word.push(c);
                continue;
            }
            out.push_str(&self.object(&word));
            word.clear();
            out.push(c);
        }
        out.push_str(&self.object(&word));
        out
    }

    fn object(&mut self, word: &str) -> String {
        let hex = |b: u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
        let is_name = word.len() >= DIGITS
            && word.bytes().all(hex)
            && word.bytes().any(|b| b.is_ascii_digit());
        if !is_name {
            return word.to_owned();
        }
        let count = self.objects.len() as u64;
        let other = self.objects.entry(word[..DIGITS].to_owned()).or_insert_with(|| {
            let mut random = Random::for_case(7, count);
            (0..4).map(|_| format!("{:016x}", random.next())).collect()
        });
        other.get(..word.len()).unwrap_or(other).to_owned()
    }
}

fn run(line: &str) -> String {
    let Some((before, after)) = line.split_once(BRANCH) else { return line.to_owned() };
    let end = after.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(after.len());
    format!("{before}{BRANCH}{RUN}{}", &after[end..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_replaced_by_the_same_ones_wherever_they_stand() {
        let replaced = |first: &str| {
            let mut names = Names::new(Path::new("/tmp/wl-abc"));
            names.replaced(&format!("commit {first}813 on code, {first} and facade"))
        };
        let text = replaced("1c97609");
        assert_eq!(text, replaced("250d274"), "the first name is the first name");
        let words: Vec<&str> = text.split(' ').collect();
        assert_eq!(words[1].len(), 10);
        assert_eq!(&words[1][..7], words[4], "a short form stays one of the long form");
        assert!(text.ends_with("and facade"), "a word is no name");
    }

    #[test]
    fn the_folder_loses_its_random_part_and_remarks_keep_their_column() {
        let mut names = Names::new(Path::new("/tmp/wl-abc"));
        let line = "cd /tmp/wl-abc/tmp/windlass-demo-Xy12zz  # here";
        let other = names.replaced(line);
        assert!(other.starts_with("cd /tmp/windlass-demo "), "{other}");
        assert_eq!(other.find('#'), line.find('#'));
        assert_eq!(
            names.replaced("file:///tmp/wl-abc/tmp/windlass-demo-Xy12zz/report.html"),
            "file:///tmp/windlass-demo/report.html"
        );
        assert_eq!(names.replaced("greet-by-name-2x49xuat  x"), "greet-by-name-k3v9x2ab  x");
    }
}
