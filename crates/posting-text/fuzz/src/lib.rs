//! What the fuzz targets share: a posting made from the fuzzer's input, and checks of the results.

use posting_text::{
    Budget, Exceeded, Posting,
    rules::{self, CheckError, Texts},
};

/// The parts of a posting: one line each for the company's name, website and city, then the
/// description.
pub struct Parts<'a> {
    name: String,
    website: String,
    city: String,
    description: &'a str,
}

impl<'a> Parts<'a> {
    /// Splits an input.
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
            other_names: &[],
            company_website: &self.website,
            base_url: None,
            hide: &[],
        }
    }
}

/// The value, unless a text became too long. Inputs as short as the fuzzer's never run out of
/// steps, unless something is not linear.
pub fn within<T>(result: Result<T, Exceeded>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(Exceeded::Output) => None,
        Err(exceeded) => panic!("{exceeded}"),
    }
}

/// Checks texts by the rules.
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
