//! Markdown that people own: read with the place of everything, so that a change touches nothing else.
//!
//! [`Outline`] is one walk over a text with a real Markdown parser. It says where headings and code
//! stand, in bytes of the text as it was given, byte order mark and line endings included. What looks
//! like a heading inside a fence, a comment, a quote or a list is none. Whoever changes a document cuts and
//! joins pieces of the original; nothing is printed anew. [`FrontMatter`] is the YAML in front.
//!
//! - `outline` finds headings, code and HTML.
//! - `front_matter` finds the YAML, with findings at the line and column of the whole file.
//!
//! Task lists ([`crate::tasks`]) and specs ([`crate::spec`]) are read with it.

pub(crate) mod front_matter;
mod outline;

pub use front_matter::FrontMatter;
pub use outline::{Fence, Heading, HeadingForm, Outline};

pub(crate) use outline::atx_title;

/// The largest document that is read.
///
/// The largest specs of people have some hundred KB. The bound keeps a log or a dump that was named by
/// mistake from costing memory, and leaves room for generated documents.
pub const MAX_DOCUMENT_BYTES: usize = 16 << 20;
