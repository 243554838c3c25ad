//! The newest decision about a posting, on its page.

use askama::Template;
use domain::posting::Decision;

use crate::text;

#[derive(Template)]
#[template(path = "postings/decided.html")]
pub struct Decided<'a> {
    at: String,
    by: String,
    decision: &'a Decision,
    appeal: Option<&'a str>,
}

impl<'a> Decided<'a> {
    pub fn new(decision: &'a Decision, appeal: Option<&'a str>) -> Self {
        let by = decision.by.to_string();
        Self {
            at: text::minute(decision.at),
            by: decision
                .by
                .version()
                .map_or(by.clone(), |version| format!("{by} {version}")),
            decision,
            appeal,
        }
    }
}
