#![no_main]

use libfuzzer_sys::fuzz_target;
use posting_text::{Budget, Posting, markdown::from_description};
use posting_text_fuzz::{check, within};

fuzz_target!(|description: &str| {
    let posting = Posting {
        description,
        ..Posting::default()
    };
    let Some(once) = within(from_description(description, &Budget::of(description))) else {
        return;
    };
    check(&once, "", &posting);
    if let Some(twice) = within(from_description(&once, &Budget::of(description))) {
        check(&twice, "", &posting);
    }
});
