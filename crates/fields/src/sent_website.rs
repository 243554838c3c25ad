use crate::website::{InvalidWebUrl, Website, WebsiteKey};
use crate::{FieldValue, Sent};

/// A company's website as sent, and its key. The key is computed only once, because every push has
/// a website.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SentWebsite {
    line: String,
    pub key: Result<WebsiteKey, InvalidWebUrl>,
}

impl SentWebsite {
    pub fn website(&self) -> Option<Website> {
        Website::parse(&self.line).ok()
    }
}

impl From<Website> for SentWebsite {
    fn from(website: Website) -> Self {
        Self {
            line: website.as_str().to_owned(),
            key: Ok(website.key()),
        }
    }
}

impl FieldValue for SentWebsite {
    const EXPECTED: &'static str = String::EXPECTED;

    fn string(text: &str) -> Sent<Self> {
        String::string(text).map(|line| Self {
            key: WebsiteKey::parse(&line),
            line,
        })
    }
}

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

/// Checks a website, and its length as stored.
pub fn is_short_when_encoded<const LONGEST: usize>(sent: &SentWebsite) -> Result<(), String> {
    if let Err(error) = sent.key {
        return Err(error.to_string());
    }
    let may_be_long = sent.line.len() > LONGEST / 3;
    let stored = may_be_long.then(|| sent.website()).flatten();
    let length = stored.map_or(0, |website| website.as_str().chars().count());
    if length > LONGEST && sent.line.chars().count() <= LONGEST {
        return Err(format!(
            "must be at most {LONGEST} characters long when it is percent-encoded, and has \
             {length} then"
        ));
    }
    Ok(())
}
