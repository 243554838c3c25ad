//! U+001F divides the input: uncleaned texts and drafts of a model.

#![no_main]

use libfuzzer_sys::fuzz_target;
use posting_text::{
    Budget, Posting, prepare,
    redact::{Kind, Phrase},
    rules::{self, CheckError, DETAIL, Texts},
};
use posting_text_fuzz::{Parts, within};

fuzz_target!(|data: &str| {
    let mut divided = data.splitn(5, '\u{1f}');
    let mut part = || divided.next().unwrap_or_default();
    let parts = Parts::of(part());
    let (markdown, redacted_markdown, text, hide) = (part(), part(), part(), part());
    let kinds = Kind::ALL.into_iter().cycle();
    let hide: Vec<_> = hide
        .lines()
        .zip(kinds)
        .map(|(text, kind)| Phrase { text, kind })
        .collect();
    let posting = Posting {
        hide: &hide,
        ..parts.posting()
    };
    let budget = || Budget::of(data);
    if let Some(detail) = within(rules::detail(text, &posting, &budget())) {
        assert!(detail.chars().count() <= DETAIL);
    }
    let rejection = (!text.is_empty()).then_some(text);
    let faults = within(rules::faults(&posting, rejection, &budget()));
    if faults.is_some_and(|faults| faults.is_empty()) {
        within(prepare(&posting, &budget()));
    }
    let texts = Texts {
        markdown,
        redacted_markdown,
        rejection,
    };
    let checked = rules::check(&texts, None, &posting, &budget());
    if let Err(CheckError::Exceeded(exceeded)) = checked {
        panic!("{exceeded}");
    }
});
