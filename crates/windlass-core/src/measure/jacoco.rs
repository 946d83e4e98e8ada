//! JaCoCo's XML.

use super::coverage::{Gathered, ReportedFile, ReportedName};
use super::unreadable::Unreadable;
use super::xml::{Document, Element, Part};

/// What an open element is.
enum Frame {
    Package(String),
    SourceFile(ReportedName),
    Other,
}

/// Reads the files and lines of a report whose root element is open.
pub(super) fn read(mut document: Document<'_>) -> Result<Vec<ReportedFile>, Unreadable> {
    let mut gathered = Gathered::default();
    let mut open = vec![Frame::Other];
    loop {
        match document.next()? {
            Part::Open(element) => {
                let frame = match (element.name(), open.last()) {
                    ("package", _) => Frame::Package(element.text("name").unwrap_or_default()),
                    ("sourcefile", Some(Frame::Package(package))) => {
                        let (package, file) = (package.clone(), element.text("name"));
                        let file = file.unwrap_or_default();
                        Frame::SourceFile(ReportedName::InPackage { package, file })
                    }
                    ("line", Some(Frame::SourceFile(name))) => {
                        if let Some((line, ran)) = line(&document, &element)? {
                            gathered.line(name, line, ran);
                        }
                        Frame::Other
                    }
                    _ => Frame::Other,
                };
                open.push(frame);
            }
            Part::Text(_) => {}
            Part::Close => drop(open.pop()),
            Part::End => return Ok(gathered.finish()),
        }
    }
}

/// A line ran when one of its instructions did, as JaCoCo counts; one without any is no code.
fn line(document: &Document<'_>, element: &Element<'_>) -> Result<Option<(u32, bool)>, Unreadable> {
    let number = |attribute: &'static str| {
        let number = element.number(attribute);
        number.ok_or_else(|| Unreadable::Number {
            element: "line",
            attribute,
            line: document.line_of(element),
        })
    };
    let nr = u32::try_from(number("nr")?).unwrap_or(u32::MAX);
    let (missed, covered) = (number("mi")?, number("ci")?);
    Ok((missed > 0 || covered > 0).then_some((nr, covered > 0)))
}
