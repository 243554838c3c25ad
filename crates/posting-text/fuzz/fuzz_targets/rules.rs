//! The rules themselves, on uncleaned drafts. U+001F divides the parts of the input.

#![no_main]

use posting_text_fuzz::{budget, posting, within};
use domain::enrichment::{
    Draft, EnrichedTexts, Enrichment, ReasonCode, Verdict,
    rules::{self, CheckError, DETAIL},
};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &str| {
    let mut parts = data.splitn(4, '\u{1f}');
    let mut part = || parts.next().unwrap_or_default().to_owned();
    let input = posting(&part());
    let (markdown, redacted_markdown, text) = (part(), part(), part());
    let verdict = if text.is_empty() {
        Verdict::Approve
    } else {
        let code = ReasonCode::Spam;
        let said = rules::explanation(code, &text);
        assert!(said.chars().count() <= code.sentence().chars().count() + 1 + DETAIL);
        Verdict::Reject { code, text }
    };
    let draft = Draft {
        markdown,
        redacted_markdown,
        verdict,
        answer: String::new(),
    };
    let description = &input.raw_description;
    within(rules::faults(&draft, description, &budget(data)));
    let enrichment = Enrichment {
        texts: EnrichedTexts {
            markdown: draft.markdown,
            redacted_markdown: draft.redacted_markdown,
        },
        coordinates: None,
        verdict: draft.verdict,
    };
    if let Err(CheckError::Exceeded(exceeded)) = rules::check(&enrichment, &input, &budget(data)) {
        panic!("{exceeded}");
    }
});
