//! The rules themselves, on uncleaned drafts. U+001F divides the parts of the input.

#![no_main]

use libfuzzer_sys::fuzz_target;
use posting_text::{
    Budget,
    rules::{self, CheckError, DETAIL, Texts},
};
use posting_text_fuzz::{Parts, within};

fuzz_target!(|data: &str| {
    let mut divided = data.splitn(4, '\u{1f}');
    let mut part = || divided.next().unwrap_or_default();
    let parts = Parts::of(part());
    let posting = parts.posting();
    let (markdown, redacted_markdown, text) = (part(), part(), part());
    assert!(rules::detail(text).chars().count() <= DETAIL);
    let texts = Texts {
        markdown,
        redacted_markdown,
        rejection: (!text.is_empty()).then_some(text),
    };
    within(rules::faults(
        &texts,
        posting.description,
        &Budget::of(data),
    ));
    let checked = rules::check(&texts, None, &posting, &Budget::of(data));
    if let Err(CheckError::Exceeded(exceeded)) = checked {
        panic!("{exceeded}");
    }
});
