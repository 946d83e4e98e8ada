//! Why a report cannot be read.

/// What is wrong with a report, to be said after its name.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unreadable {
    /// The bytes are not text in the encoding that they are said to have.
    #[error("is not {encoding} text")]
    NotText {
        /// The encoding.
        encoding: &'static str,
    },
    /// The XML has a mistake.
    #[error("is broken XML in line {line}: {why}")]
    Xml {
        /// Where.
        line: usize,
        /// The parser's words.
        why: String,
    },
    /// The text ends inside an element or a record.
    #[error("is cut off: it ends inside `{inside}`")]
    CutOff {
        /// What was open.
        inside: String,
    },
    /// There is no element at all.
    #[error("is empty")]
    Empty,
    /// Something follows the root element.
    #[error("is broken XML: something follows its root element in line {line}")]
    AfterRoot {
        /// Where.
        line: usize,
    },
    /// Elements are nested without end.
    #[error("nests more than {most} elements into each other")]
    TooDeep {
        /// What is allowed.
        most: usize,
    },
    /// It lists folders without end.
    #[error("lists more than {most} source folders")]
    TooManySources {
        /// What is allowed.
        most: usize,
    },
    /// The document type declares entities.
    #[error("declares entities of its own, which windlass does not expand")]
    Entities,
    /// It is something else.
    #[error("is not {wanted}: it begins with `{found}`")]
    Other {
        /// What was looked for.
        wanted: &'static str,
        /// What is there.
        found: String,
    },
    /// A number that the report needs is missing or no number.
    #[error("has a `{element}` in line {line} whose `{attribute}` is not a number")]
    Number {
        /// The element.
        element: &'static str,
        /// The attribute.
        attribute: &'static str,
        /// Where.
        line: usize,
    },
    /// A line of an lcov file cannot be read.
    #[error("is broken in line {line}: {why}")]
    Record {
        /// Where.
        line: usize,
        /// What is wrong.
        why: String,
    },
}
