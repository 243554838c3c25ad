//! Numbers too large for the JSON parser.
//!
//! JSON does not limit numbers (RFC 8259 §6), but the parser rejects a body with a number that no
//! `f64` holds. Such numbers are allowed in unknown fields, which are ignored. In known fields,
//! also in `metadata`, such numbers are errors (RFC 7493 §2.2).

/// The number that replaces a vast one. It is too large for every field, too.
const STAND_IN: &str = "1e300";

/// Replaces each number that the parser cannot read; `None` if there is none.
pub(super) fn replaced(json: &str) -> Option<String> {
    let mut text = String::with_capacity(json.len());
    let mut found = false;
    let mut rest = json;
    while let Some(at) = rest.find(|c: char| c == '"' || c == '-' || c.is_ascii_digit()) {
        let (plain, from) = rest.split_at(at);
        text.push_str(plain);
        let token = if from.starts_with('"') {
            &from[..string_len(from)]
        } else {
            let end = from.find(|c: char| !(c.is_ascii_digit() || "+-.eE".contains(c)));
            &from[..end.unwrap_or(from.len())]
        };
        if is_vast(token) {
            found = true;
            if token.starts_with('-') {
                text.push('-');
            }
            text.push_str(STAND_IN);
        } else {
            text.push_str(token);
        }
        rest = &from[token.len()..];
    }
    text.push_str(rest);
    found.then_some(text)
}

pub(super) fn is_vast(token: &str) -> bool {
    token.parse().is_ok_and(f64::is_infinite)
}

pub(super) fn string_len(text: &str) -> usize {
    let mut escaped = false;
    text.bytes()
        .skip(1)
        .position(|byte| {
            let ends = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        })
        .map_or(text.len(), |at| at + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_numbers_that_no_parser_holds_are_replaced() {
        let vast = "9".repeat(400);
        let json = format!(r#"{{"1e400":"1e400 \" {vast}","é":[-1e400,{vast},1e300,0,-1.5e-9]}}"#);
        let expect = format!(r#"{{"1e400":"1e400 \" {vast}","é":[-1e300,1e300,1e300,0,-1.5e-9]}}"#);
        assert_eq!(replaced(&json), Some(expect));
    }

    #[test]
    fn text_without_any_is_kept() {
        for text in [
            "",
            "{}",
            r#"{"a":1,"b":"1e400"}"#,
            "\"",
            "\"\\",
            "-",
            "1e",
            "inf",
            "é1é",
        ] {
            assert_eq!(replaced(text), None, "{text}");
        }
    }
}
