//! A posting's description. Rules compare its digests, and do not read its text.

use std::{
    fmt,
    sync::{Arc, OnceLock},
};

use fields::{
    FieldValue, Sent,
    line::{InvalidLine, is_blank},
};
use kernel::digest;

use super::essence::essence;

/// A description: its digests and, if loaded, its text.
///
/// A description is by far the largest part of a posting, and most pushes repeat it. A store can
/// compare digests without fetching the text. Most pushes repeat it byte for byte, so the text is
/// only taken apart if its own digest differs.
#[derive(Clone, serde::Serialize, serde::Deserialize)]
pub struct Description {
    digest: [u8; 32],
    #[serde(with = "cell", default)]
    essence: OnceLock<[u8; 32]>,
    /// The text's length in bytes; 0 if not read.
    #[serde(default)]
    length: usize,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<Arc<str>>,
}

impl Description {
    /// A stored description, with its text if read.
    pub fn stored(digest: [u8; 32], essence: [u8; 32], text: Option<Arc<str>>) -> Self {
        let length = text.as_ref().map_or(0, |text| text.len());
        Self {
            digest,
            essence: essence.into(),
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

    /// The digest of the text.
    pub const fn digest(&self) -> &[u8; 32] {
        &self.digest
    }

    /// The digest of the text without white space, relative dates and tracking parameters.
    /// Descriptions with the same essence are equal.
    pub fn essence(&self) -> &[u8; 32] {
        self.essence.get_or_init(|| {
            let text = self.text.as_deref().unwrap_or_default();
            digest::of_parts([essence(text).as_bytes()])
        })
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
    pub fn unread(&self) -> Self {
        Self::stored(self.digest, *self.essence(), None).of_length(self.length)
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
            digest: digest::of_parts([text.as_bytes()]),
            essence: OnceLock::new(),
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
        self.digest == other.digest || self.essence() == other.essence()
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

mod cell {
    use std::sync::OnceLock;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<T: Serialize, S: Serializer>(
        cell: &OnceLock<T>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        cell.get().serialize(to)
    }

    pub fn deserialize<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
        from: D,
    ) -> Result<OnceLock<T>, D::Error> {
        let value = Option::<T>::deserialize(from)?;
        Ok(value.map_or_else(OnceLock::new, OnceLock::from))
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
        let repeated = Description::from("<p>Bread.</p>");
        assert_eq!(repeated, bread.unread());
        assert_eq!(repeated.essence.get(), None, "not needed");
        assert_eq!(bread.unread(), Description::from("<p>Bread.</p>\n"));
        let stored = Description::stored([0; 32], *bread.essence(), bread.text().cloned());
        assert_eq!(stored, bread);
        assert_eq!(stored.text().map(AsRef::as_ref), Some("<p>Bread.</p>"));
    }
}
