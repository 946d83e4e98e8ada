//! The first words of a document, for people who decide whether to read it.

/// How much of one line is shown.
const WIDEST: usize = 200;

/// Returns the first lines of prose of a Markdown text: no headings, tables, code, comments or front
/// matter. Words of agents: whoever shows them makes them printable.
pub fn gist(markdown: &str, most: usize) -> Vec<String> {
    let mut lines = markdown.lines().peekable();
    if lines.peek().is_some_and(|line| line.trim_end() == "---") {
        lines.next();
        for line in lines.by_ref() {
            if line.trim_end() == "---" {
                break;
            }
        }
    }
    let (mut found, mut fenced, mut commented) = (Vec::new(), false, false);
    let mut paragraph = String::new();
    for line in lines {
        let line = line.trim();
        if line.starts_with("```") || line.starts_with("~~~") {
            fenced = !fenced;
            end(&mut paragraph, &mut found);
            continue;
        }
        if commented || line.starts_with("<!--") {
            commented = !line.contains("-->");
            continue;
        }
        let aside = fenced || line.starts_with(['#', '|', '<']) || is_rule(line);
        let item = line.starts_with("- ") || line.starts_with("* ");
        if line.is_empty() || aside || item {
            end(&mut paragraph, &mut found);
        }
        if found.len() >= most {
            break;
        }
        if !line.is_empty() && !aside {
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(line);
        }
    }
    end(&mut paragraph, &mut found);
    found.truncate(most);
    found
}

fn end(paragraph: &mut String, found: &mut Vec<String>) {
    let text = std::mem::take(paragraph);
    if text.is_empty() {
        return;
    }
    let cut: String = text.chars().take(WIDEST).collect();
    found.push(if cut.len() < text.len() { format!("{}…", cut.trim_end()) } else { text });
}

fn is_rule(line: &str) -> bool {
    line.len() >= 3 && line.chars().all(|c| matches!(c, '-' | '=' | '*' | '_' | ' '))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gist_is_prose() {
        let text = "---\nstatus: x\n---\n# Plan\n\n<!-- made\nby a tool -->\nAdd a name to the \
                    greeting,\nand test it.\n\n| a | b |\n\n```sh\nmake\n```\n- one file changes\n- \
                    no risk\n- and more\n";
        let expected =
            ["Add a name to the greeting, and test it.", "- one file changes", "- no risk"];
        assert_eq!(gist(text, 3), expected);
        assert!(gist("# Only\n\n---\n", 3).is_empty());
    }

    #[test]
    fn a_long_paragraph_is_cut() {
        let cut = &gist(&"word ".repeat(100), 3)[0];
        assert!(cut.ends_with("word…") && cut.chars().count() <= WIDEST + 1, "{cut}");
    }
}
