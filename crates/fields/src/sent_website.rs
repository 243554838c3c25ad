//! The field of a company's website.

use crate::website::{InvalidWebUrl, Website};
use crate::{FieldValue, Sent};

/// A company's website as sent, and parsed: once, because every push has one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentWebsite {
    line: String,
    /// The website in its normal form.
    pub website: Result<Website, InvalidWebUrl>,
}

impl From<Website> for SentWebsite {
    fn from(website: Website) -> Self {
        Self {
            line: website.as_str().to_owned(),
            website: Ok(website),
        }
    }
}

impl FieldValue for SentWebsite {
    const EXPECTED: &'static str = String::EXPECTED;

    fn string(text: &str) -> Sent<Self> {
        String::string(text).map(|line| Self {
            website: Website::parse(&line),
            line,
        })
    }
}

/// The text as sent, trimmed.
impl AsRef<str> for SentWebsite {
    fn as_ref(&self) -> &str {
        &self.line
    }
}

impl AsRef<Self> for SentWebsite {
    fn as_ref(&self) -> &Self {
        self
    }
}

/// Checks that a website is one, and that its normal form keeps the limit too: it is what is stored
/// and shown, so that it can be sent back.
pub fn is_short_when_normal<const LONGEST: usize>(sent: &SentWebsite) -> Result<(), String> {
    let normal = sent.website.as_ref().map_err(ToString::to_string)?.as_str();
    if normal.len() <= LONGEST {
        return Ok(());
    }
    let length = normal.chars().count();
    if length > LONGEST && sent.line.chars().count() <= LONGEST {
        return Err(format!(
            "must be at most {LONGEST} characters long when it is percent-encoded, and has \
             {length} then"
        ));
    }
    Ok(())
}
