use std::num::NonZeroU32;

use fields::line::{InvalidText, short_text};
use time::Duration;

/// The longest time for which two secrets are valid.
pub const LONGEST_OVERLAP: Duration = Duration::days(90);
/// In characters.
const NAME_LENGTH: usize = 255;
/// A client with a higher limit needs none.
const MOST_REQUESTS: u32 = 1_000_000;

/// A trimmed name of one line.
pub fn client_name(text: &str) -> Result<String, InvalidText> {
    short_text(text, NAME_LENGTH).map(str::to_owned)
}

/// The most requests in a minute. Errors are written for people.
pub fn requests_per_minute(text: &str) -> Result<NonZeroU32, String> {
    let limit = text.trim().parse().ok().and_then(NonZeroU32::new);
    let limit = limit.filter(|limit| limit.get() <= MOST_REQUESTS);
    limit.ok_or_else(|| {
        format!(
            "{text:?} is not a number between 1 and {MOST_REQUESTS}; to refuse every request, \
             revoke the client"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_limit_is_up_to_a_million_and_a_name_has_255_characters() {
        for (text, expect) in [("1", Some(1)), (" 1000000 ", Some(1_000_000)), ("0", None)] {
            let found = requests_per_minute(text).ok();
            assert_eq!(found.map(NonZeroU32::get), expect, "{text}");
        }
        let why = requests_per_minute("1000001").unwrap_err();
        let expect = "\"1000001\" is not a number between 1 and 1000000; to refuse every request, \
                      revoke the client";
        assert_eq!(why, expect);
        assert!(client_name(&"ü".repeat(255)).is_ok());
        assert_eq!(
            client_name(&"ü".repeat(256)),
            Err(InvalidText::TooLong(255))
        );
    }
}
