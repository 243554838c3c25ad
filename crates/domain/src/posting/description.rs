//! A posting's description. Rules compare its digest, and do not read its text.

use std::{fmt, sync::Arc};

use fields::{
    FieldValue, Sent,
    line::{InvalidLine, is_blank},
};
use kernel::digest;

use super::essence::essence;

/// A description: its digest and, if loaded, its text.
///
/// A description is by far the largest part of a posting, and most pushes repeat it. A store can
/// compare digests without fetching the text.
#[derive(Clone, serde::Serialize, serde::Deserialize)]
pub struct Description {
    digest: [u8; 32],
    /// The text's length in bytes; 0 if not read.
    #[serde(default)]
    length: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<Arc<str>>,
}

impl Description {
    /// A stored description, with its text if read.
    pub fn stored(digest: [u8; 32], text: Option<Arc<str>>) -> Self {
        let length = text.as_ref().map_or(0, |text| text.len());
        Self {
            digest,
            length,
            text,
        }
    }

    /// Sets the length in bytes of an unread text.
    #[must_use]
    pub fn of_length(self, length: usize) -> Self {
        Self { length, ..self }
    }

    /// The text's length in bytes; 0 if not read.
    pub const fn length(&self) -> usize {
        self.length
    }

    /// The digest of the text without white space, relative dates and tracking parameters.
    pub const fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    /// The text; `None` if not read.
    pub const fn text(&self) -> Option<&Arc<str>> {
        self.text.as_ref()
    }

    /// Sets the text, if it was read.
    pub fn read(&mut self, text: Option<Arc<str>>) {
        self.text = text;
    }

    /// The same without its text.
    #[must_use]
    pub const fn unread(&self) -> Self {
        Self {
            digest: self.digest,
            length: self.length,
            text: None,
        }
    }
}

/// A text of any length, as sent; blank counts as `null`.
impl FieldValue for Description {
    const EXPECTED: &'static str = "a string";

    fn string(text: &str) -> Sent<Self> {
        if is_blank(text) {
            Sent::null()
        } else if text.contains('\0') {
            Sent::wrong(InvalidLine::Nul.to_string())
        } else {
            Sent::set(text.into())
        }
    }
}

impl From<Arc<str>> for Description {
    fn from(text: Arc<str>) -> Self {
        Self {
            digest: digest::of_parts([essence(&text).as_bytes()]),
            length: text.len(),
            text: Some(text),
        }
    }
}

impl From<&str> for Description {
    fn from(text: &str) -> Self {
        Arc::<str>::from(text).into()
    }
}

impl Default for Description {
    fn default() -> Self {
        "".into()
    }
}

impl PartialEq for Description {
    fn eq(&self, other: &Self) -> bool {
        self.digest == other.digest
    }
}

impl Eq for Description {}

impl fmt::Debug for Description {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.text {
            Some(text) => text.fmt(f),
            None => f.write_str("(unread)"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equality_needs_no_text() {
        let bread = Description::from("<p>Bread.</p>");
        assert_eq!(bread, bread.unread());
        assert_eq!(bread.unread().text(), None);
        assert_eq!(format!("{:?}", bread.unread()), "(unread)");
        assert_eq!(bread.unread().of_length(3).length(), 3);
        assert_ne!(bread.unread(), Description::from("<p>Bread. </p>").unread());
        let stored = Description::stored(*bread.digest(), bread.text().cloned());
        assert_eq!(stored.text().map(AsRef::as_ref), Some("<p>Bread.</p>"));
    }
}
