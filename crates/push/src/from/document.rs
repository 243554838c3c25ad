//! A document of a source, as the readers of all formats yield it.

use jaq_json::Val;

/// What a program is run on.
pub struct Document {
    /// The line where it begins, if that is known.
    pub line: Option<u64>,
    /// Its value, or why it has none.
    pub value: Result<Val, String>,
}

/// Takes documents.
pub type Each<'a> = &'a mut dyn FnMut(Document) -> anyhow::Result<()>;
