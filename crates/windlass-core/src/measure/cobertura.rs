//! Cobertura's XML, which many tools of other languages write as well.

use std::sync::Arc;

use super::coverage::{Gathered, ReportedFile, ReportedName};
use super::unreadable::Unreadable;
use super::xml::{Document, Element, Part, plain};

/// More folders than a build has modules. Each file is looked for below all of them.
const MAX_SOURCES: usize = 64;

/// What an open element is.
enum Frame {
    Source(String),
    Class(ReportedName),
    Other,
}

/// Reads the files and lines of a report whose root element is open.
///
/// A file's lines stand once below its class and once below its methods; a line is one line.
pub(super) fn read(mut document: Document<'_>) -> Result<Vec<ReportedFile>, Unreadable> {
    let mut gathered = Gathered::default();
    let mut roots: Arc<[String]> = Arc::default();
    let mut open = vec![Frame::Other];
    loop {
        match document.next()? {
            Part::Open(element) => {
                let frame = match element.name() {
                    "source" => Frame::Source(String::new()),
                    "class" => {
                        let path = element.text("filename").unwrap_or_default();
                        Frame::Class(ReportedName::Path { path, roots: Arc::clone(&roots) })
                    }
                    "line" => {
                        if let Some(class) = class(&open) {
                            let (line, ran) = line(&document, &element)?;
                            gathered.line(class, line, ran);
                        }
                        Frame::Other
                    }
                    _ => Frame::Other,
                };
                open.push(frame);
            }
            Part::Text(text) => {
                if let Some(Frame::Source(root)) = open.last_mut() {
                    root.push_str(&plain(&text));
                }
            }
            Part::Close => {
                if let Some(Frame::Source(root)) = open.pop()
                    && !root.trim().is_empty()
                {
                    if roots.len() >= MAX_SOURCES {
                        return Err(Unreadable::TooManySources { most: MAX_SOURCES });
                    }
                    let root = root.trim().to_owned();
                    roots = roots.iter().cloned().chain([root]).collect();
                }
            }
            Part::End => return Ok(gathered.finish()),
        }
    }
}

fn class(open: &[Frame]) -> Option<&ReportedName> {
    open.iter().rev().find_map(|frame| match frame {
        Frame::Class(name) => Some(name),
        Frame::Source(_) | Frame::Other => None,
    })
}

fn line(document: &Document<'_>, element: &Element<'_>) -> Result<(u32, bool), Unreadable> {
    let no_number = |attribute| Unreadable::Number {
        element: "line",
        attribute,
        line: document.line_of(element),
    };
    let number = element.number("number").and_then(|number| u32::try_from(number).ok());
    let hits = element.get("hits").unwrap_or_default();
    // Counts that were added up in floating point are written like `1e+06`.
    let ran = match hits.trim().parse::<u64>() {
        Ok(hits) => hits > 0,
        Err(_) => hits.trim().parse::<f64>().map_err(|_| no_number("hits"))? > 0.0,
    };
    Ok((number.ok_or_else(|| no_number("number"))?, ran))
}
