//! Everything that rules make of a posting.

#![no_main]

use posting_text::Builtin;
use posting_text_fuzz::{budget, check, posting, within};
use domain::enrichment::{Craft, Verdict};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &str| {
    let input = posting(data);
    let prepared = Builtin.prepare(&input, &budget(&input.raw_description));
    let Some(enrichment) = within(prepared) else {
        return;
    };
    let texts = &enrichment.texts;
    check(&texts.markdown, &texts.redacted_markdown, &input);
    if enrichment.verdict == Verdict::Approve {
        assert!(!texts.markdown.trim().is_empty() && !texts.redacted_markdown.trim().is_empty());
    }
});
