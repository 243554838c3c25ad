//! Redaction of Markdown, as it happens to what a model wrote.

#![no_main]

use posting_text::Builtin;
use posting_text_fuzz::{budget, check, posting, within};
use domain::enrichment::Craft;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &str| {
    let input = posting(data);
    let markdown = &input.raw_description;
    let Some(redacted) = within(Builtin.redact(markdown, &input, &budget(markdown))) else {
        return;
    };
    check("", &redacted, &input);
    if let Some(again) = within(Builtin.redact(&redacted, &input, &budget(markdown))) {
        check("", &again, &input);
    }
});
