//! Links between pages.

use std::path::Path;

use crate::pages;

/// The targets of the links of a page, code aside.
fn targets(text: &str) -> Vec<String> {
    let mut fenced = false;
    let mut found = Vec::new();
    for line in text.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        let links = line.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
        found.extend(links.map(|(target, _)| target.to_owned()));
    }
    found
}

/// The name that a heading has in links, as Git forges make it.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
    kept.map(|c| if c == ' ' { '-' } else { c.to_ascii_lowercase() }).collect()
}

fn has_heading(page: &str, wanted: &str) -> bool {
    let headings = page.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| line.trim_start_matches('#').trim()).any(|line| anchor(line) == wanted)
}

#[test]
fn every_link_leads_to_a_file_and_a_heading_that_are_there() {
    let mut count = 0;
    for page in pages::all() {
        let folder = Path::new(&page).parent().expect("a folder");
        for target in targets(&pages::read(&page)) {
            if target.contains("://") {
                continue;
            }
            let (file, heading) = target.split_once('#').unwrap_or((&target, ""));
            let path = if file.is_empty() { Path::new(&page).into() } else { folder.join(file) };
            assert!(pages::root().join(&path).exists(), "{page}: {target} is not there");
            if !heading.is_empty() {
                let text = pages::read(&path.to_string_lossy());
                assert!(has_heading(&text, heading), "{page}: {target} has no such heading");
            }
            count += 1;
        }
    }
    assert!(count > 20, "only {count} links were found");
}

#[test]
fn the_index_leads_to_every_page() {
    let links = targets(&pages::read("docs/README.md"));
    for page in pages::all() {
        let name = page.strip_prefix("docs/").unwrap_or("../README.md");
        let listed = links.iter().any(|link| link == name);
        assert!(listed || name == "README.md", "`docs/README.md` does not lead to {name}");
    }
}
