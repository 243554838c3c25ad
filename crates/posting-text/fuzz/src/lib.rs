//! What the targets share: a posting made of the fuzzer's text, and what must hold of an outcome.

use posting_text::{
    Budget, Exceeded, Posting,
    rules::{self, CheckError, Texts},
};

/// The parts of a posting: lines for name, website and city of the company, then the description.
pub struct Parts<'a> {
    name: String,
    website: String,
    city: String,
    description: &'a str,
}

impl<'a> Parts<'a> {
    /// Takes a text apart.
    pub fn of(data: &'a str) -> Self {
        let mut parts = data.splitn(4, '\n');
        let mut part = || parts.next().unwrap_or_default();
        let short = |text: &str| text.chars().take(255).collect::<String>();
        Self {
            name: short(part()),
            website: format!("https://{}", short(part())),
            city: short(part()),
            description: part(),
        }
    }

    /// The posting.
    pub fn posting(&self) -> Posting<'_> {
        Posting {
            title: "Cook",
            description: self.description,
            country: Some("NO"),
            city: Some(&self.city),
            company_name: &self.name,
            company_website: &self.website,
        }
    }
}

/// The value, unless a text became too long. Steps never run out for texts as short as the
/// fuzzer's: where they do, something is not linear.
pub fn within<T>(result: Result<T, Exceeded>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(Exceeded::Output) => None,
        Err(exceeded) => panic!("{exceeded}"),
    }
}

/// Holds texts against the rules.
pub fn check(markdown: &str, redacted_markdown: &str, posting: &Posting<'_>) {
    let texts = Texts {
        markdown,
        redacted_markdown,
        rejection: Some("It is one."),
    };
    match rules::check(&texts, None, posting, &Budget::of(posting.description)) {
        Ok(()) => {}
        Err(CheckError::Breach(breach)) => panic!("{breach}\n{texts:?}"),
        Err(CheckError::Exceeded(exceeded)) => panic!("{exceeded}"),
    }
}
