use super::*;

/// Texts, each with its cause as a body and, if that differs, its cause as a line. Signs replace
/// invisible characters.
const CAUSES: &str = include_str!("causes.txt");

const SIGNS: [(char, &str); 6] = [
    ('␉', "\t"),
    ('␊', "\n"),
    ('␁', "\u{1}"),
    ('␌', "\u{c}"),
    ('␣', "\u{a0}"),
    ('␢', "\u{200b}"),
];

#[test]
fn a_cause_names_its_cure_and_its_place() {
    for row in CAUSES.lines() {
        let mut parts = row.split(" => ");
        let text = parts.next().unwrap_or_default().to_owned();
        let text = SIGNS.iter().fold(text, |text, (sign, character)| {
            text.replace(*sign, character)
        });
        let of_body = parts.next().unwrap();
        let of_line = parts.next().unwrap_or(of_body);
        let why = |is_line| not_json(text.as_bytes(), is_line, "otherwise at line 1 column 9");
        assert_eq!(why(false), of_body, "{text}");
        assert_eq!(why(true), of_line, "{text}");
    }
}

#[test]
fn a_byte_order_mark_is_skipped() {
    assert_eq!(crate::body::text(b"\xEF\xBB\xBF{}"), Ok("{}"));
}

#[test]
fn bytes_of_another_encoding_are_named() {
    for (bytes, expect) in [
        (&b"\x1F\x8B\x08"[..], "packed by gzip; send it unpacked"),
        (b"\x28\xB5\x2F\xFD", "packed by zstd; send it unpacked"),
        (b"\xFF\xFE{\0", "UTF-16; send UTF-8"),
        (b"{\0\"\0", "UTF-16; send UTF-8"),
        (b"\0{\0\"", "UTF-16; send UTF-8"),
        (b"{\"a\":\"caf\xe9\"}", "not UTF-8; send UTF-8 (column 10)"),
    ] {
        assert_eq!(not_json(bytes, false, ""), format!("it is {expect}"));
    }
}
