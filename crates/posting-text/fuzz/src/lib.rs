use posting_text::{
    Budget, Exceeded, Posting,
    rules::{self, CheckError, Texts},
};

pub struct Parts<'a> {
    name: String,
    website: String,
    city: String,
    description: &'a str,
}

impl<'a> Parts<'a> {
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

    pub fn posting(&self) -> Posting<'_> {
        Posting {
            title: "Cook",
            description: self.description,
            country: Some("NO"),
            city: Some(&self.city),
            company_name: &self.name,
            other_names: &[],
            company_website: &self.website,
            region: None,
            base_url: None,
            hide: &[],
        }
    }
}

/// `None` if a text became too long. Inputs as short as the fuzzer's never run out of steps.
pub fn within<T>(result: Result<T, Exceeded>) -> Option<T> {
    match result {
        Ok(value) => Some(value),
        Err(Exceeded::Output) => None,
        Err(exceeded) => panic!("{exceeded}"),
    }
}

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
