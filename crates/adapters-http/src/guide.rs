//! The integration guide. Tests run its examples.

use askama::Template;
use domain::posting::ReasonCode;
use serde::Deserialize;

use crate::manual;

/// The content security policy, which allows nothing from other sites.
pub const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; \
                          img-src 'self'; base-uri 'none'; form-action 'none'; \
                          frame-ancestors 'none'";

pub const STYLE: &str = include_str!("../templates/guide/style.css");

/// The script of the buttons that copy examples.
pub const SCRIPT: &str = include_str!("../templates/guide/copy.js");

/// The entry point for programs, in the form of llmstxt.org.
pub const FOR_PROGRAMS: &str = include_str!("../templates/guide/llms.txt");

const TEXTS: &str = include_str!("../templates/guide/texts.json");

macro_rules! examples {
    ($($file:literal)+) => {
        [$(include_str!(concat!("../templates/guide/examples/", $file))),+]
    };
}

const EXAMPLES: [[&str; 3]; 8] = [
    examples!("token.sh" "token.py" "token.mjs"),
    examples!("push.sh" "push.py" "push.mjs"),
    examples!("refused.sh" "refused.py" "refused.mjs"),
    examples!("catalogue.sh" "catalogue.py" "catalogue.mjs"),
    examples!("status.sh" "status.py" "status.mjs"),
    examples!("search.sh" "search.py" "search.mjs"),
    examples!("events.sh" "events.py" "events.mjs"),
    examples!("register.sh" "receive.py" "receive.mjs"),
];

#[derive(Template)]
#[template(path = "guide/page.html")]
struct Guide {
    sections: Vec<(Section, [&'static str; 3])>,
    texts: Texts,
    fields: String,
    reasons: Vec<(&'static str, &'static str)>,
}

#[derive(Template)]
#[template(path = "guide/page.md")]
struct Markdown {
    sections: Vec<(Section, [&'static str; 3])>,
    texts: Texts,
    fields: String,
    reasons: Vec<(&'static str, &'static str)>,
}

#[derive(Deserialize)]
struct Texts {
    sections: [Section; 8],
    statuses: Vec<Entry>,
    /// Refusals of a push, by the beginning of their message, each with a remedy.
    refusals: Vec<Entry>,
    notices: Vec<Entry>,
}

#[derive(Clone, Deserialize)]
struct Section {
    id: String,
    title: String,
    text: Vec<String>,
    /// The output of the examples.
    answer: Option<String>,
}

#[derive(Deserialize)]
struct Entry {
    about: String,
    text: Vec<String>,
}

pub fn page() -> Result<String, askama::Error> {
    Guide::new()?.render()
}

pub fn markdown() -> Result<String, askama::Error> {
    let Guide {
        sections,
        texts,
        fields: _,
        reasons,
    } = Guide::new()?;
    let markdown = Markdown {
        sections,
        texts,
        fields: manual::fields(),
        reasons,
    };
    markdown.render()
}

impl Guide {
    fn new() -> Result<Self, askama::Error> {
        let texts = serde_json::from_str(TEXTS);
        let texts: Texts = texts.map_err(|error| askama::Error::Custom(error.into()))?;
        let reasons = ReasonCode::ALL.iter();
        Ok(Self {
            sections: texts.sections.clone().into_iter().zip(EXAMPLES).collect(),
            texts,
            fields: manual::html_of("api/push.md", &manual::fields())?,
            reasons: reasons
                .map(|it| (it.as_str(), enrichment::sentence(*it)))
                .collect(),
        })
    }
}
