#![no_main]

use libfuzzer_sys::fuzz_target;
use posting_text::{Budget, redact};
use posting_text_fuzz::{Parts, check, within};

fuzz_target!(|data: &str| {
    let parts = Parts::of(data);
    let posting = parts.posting();
    let hide = |text: &str| {
        within(redact::markdown(
            text,
            &posting,
            &Budget::of(posting.description),
        ))
    };
    let Some(redacted) = hide(posting.description) else {
        return;
    };
    check("", &redacted, &posting);
    if let Some(again) = hide(&redacted) {
        check("", &again, &posting);
    }
});
