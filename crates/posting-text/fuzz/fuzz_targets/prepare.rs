#![no_main]

use libfuzzer_sys::fuzz_target;
use posting_text::{Budget, prepare};
use posting_text_fuzz::{Parts, check, within};

fuzz_target!(|data: &str| {
    let parts = Parts::of(data);
    let posting = parts.posting();
    let Some(prepared) = within(prepare(&posting, &Budget::of(posting.description))) else {
        return;
    };
    check(&prepared.markdown, &prepared.redacted_markdown, &posting);
    if prepared.refusal.is_none() {
        assert!(!prepared.markdown.trim().is_empty());
        assert!(!prepared.redacted_markdown.trim().is_empty());
    }
});
