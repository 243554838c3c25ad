//! Any text to clean Markdown, and that to clean Markdown again.

#![no_main]

use posting_text::markdown::from_description;
use posting_text_fuzz::{budget, check, posting, within};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|raw: &str| {
    let input = posting(&format!("\n\n\n{raw}"));
    let Some(once) = within(from_description(raw, &budget(raw))) else {
        return;
    };
    check(&once, "", &input);
    if let Some(twice) = within(from_description(&once, &budget(raw))) {
        check(&twice, "", &input);
    }
});
