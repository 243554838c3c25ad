use super::*;

const CAUSES: &[(&str, &str)] = &[
    (r#"{"é":NaN}"#, "NaN is not JSON; send null (column 6)"),
    (
        r#"{"a":[1,-Infinity]}"#,
        "-Infinity is not JSON; send null (column 9)",
    ),
    (r#"{"a":None}"#, "None is not JSON; send null (column 6)"),
    (r#"{"a":True}"#, "True is not JSON; send true (column 6)"),
    (
        r#"{"a":undefined}"#,
        "undefined is not JSON; send null (column 6)",
    ),
    (
        r#"{"a":full-time}"#,
        "full-time is not JSON; a text needs double quotes (column 6)",
    ),
    (
        "{'a': 1}",
        "strings need double quotes, not single ones (column 2)",
    ),
    ("{a: 1}", "the name a needs double quotes (column 2)"),
    (
        r#"{"a":1,}"#,
        "a comma has nothing behind it; remove it (column 8)",
    ),
    (
        "{\n \"a\": [1,\n ]\n}",
        "a comma has nothing behind it; remove it (line 3, column 2)",
    ),
    (
        "{\"a\":\"b\tc\"}",
        "a string has a tab; write \\t (column 6)",
    ),
    (
        "{\"a\":\"b\nc\"}",
        "a string has a line break; write \\n (column 6)",
    ),
    (
        "{\"a\":\"\u{1}\"}",
        "a string has a control character; write \\u0001, or remove it (column 6)",
    ),
    (
        r#"{"a":"5" pipe"}"#,
        "a comma is missing, or a quotation mark in a string is not written as \\\" (column 10)",
    ),
    ("{} x", "something follows its end (column 4)"),
    (r#"{"a":1},"#, ", follows its end; remove it (column 8)"),
    (r#"{"a":1}]"#, "] follows its end; remove it (column 8)"),
    (r#"{"a":1}}"#, "} follows its end; remove it (column 8)"),
    (
        r#"{"a":+2500}"#,
        "+2500 is not a JSON number; remove the + (column 6)",
    ),
    (
        r#"{"a":-02500}"#,
        "-02500 is not a JSON number; remove its leading zeros, or send it as a text in \
             double quotes (column 6)",
    ),
    (
        r#"{"a":[0, -1.5e+3, .5]}"#,
        ".5 is not a JSON number; the point needs a digit on both sides (column 19)",
    ),
    (
        r#"{"a":2026-11-28}"#,
        "2026-11-28 is not a JSON number; a text needs double quotes (column 6)",
    ),
    (
        r#"{"a":"C:\dir"}"#,
        r"\d is not an escape of JSON; write \\d if a backslash is meant (column 6)",
    ),
    (
        r#"{"a":"\"\\\u00e9\user"}"#,
        r"\u needs four hexadecimal digits; write \\u if a backslash is meant (column 6)",
    ),
    (
        r#"{"a":"it\'s"}"#,
        r"\' is not an escape of JSON; write ' (column 6)",
    ),
    (
        "{\"a\":\u{c}1}",
        "U+000C is outside of a string, where only spaces, tabs and line breaks may be; \
             remove it (column 6)",
    ),
    (
        "{\"a\":1,\u{a0}\"b\":2}",
        "U+00A0 is outside of a string, where only spaces, tabs and line breaks may be; \
             remove it (column 8)",
    ),
    (
        "{\"a\":1}\u{c}",
        "U+000C is outside of a string, where only spaces, tabs and line breaks may be; \
             remove it (column 8)",
    ),
    (
        "{\"a\":1}\u{200b}",
        "U+200B is outside of a string, where only spaces, tabs and line breaks may be; \
             remove it (column 8)",
    ),
    (
        "{\"a\":1} // x",
        "comments are not JSON; remove them (column 9)",
    ),
    (
        r#"{"a":1 /* " */}"#,
        "comments are not JSON; remove them (column 8)",
    ),
    ("<html>", "it is HTML or XML"),
    (
        r#"{"a":1.2.3}"#,
        "1.2.3 is not a JSON number; a text needs double quotes (column 6)",
    ),
    (
        r#"{"a" 1e5}"#,
        "a comma is missing, or a quotation mark in a string is not written as \\\" (column 6)",
    ),
];

/// A text, and its cause as a body and as a line, where they differ.
const CAUSES_BY_PLACE: &[(&str, &str, &str)] = &[
    (
        r#"{"a":1}{"a":2}"#,
        "it has several objects; send each by itself (column 8)",
        "several objects are on one line; write each on its own line (column 8)",
    ),
    (
        r#"{"a":"#,
        "it ends before its object does (column 6)",
        "it ends before its object does: it was cut off, or the object is spread over \
                 several lines; write each object on one line (column 6)",
    ),
    (
        r#""a": 1,"#,
        "otherwise at line 1 column 9",
        "it is a part of an object; write each object on one line",
    ),
    (
        "},",
        ", follows its end; remove it (column 2)",
        "it is a part of an object; write each object on one line",
    ),
    (
        "{",
        "it ends before its object does (column 2)",
        "an object begins and is spread over several lines; write it on one",
    ),
    (
        r#"[{"a":1},"#,
        "it ends before its object does (column 10)",
        "it is a part of an array; write each object on its own line, without brackets \
                 and commas",
    ),
    (
        r#"{"a":::1}"#,
        "otherwise at line 1 column 9",
        "otherwise at column 9",
    ),
];

#[test]
fn a_cause_names_its_cure_and_its_place() {
    let same = CAUSES.iter().map(|(text, cause)| (text, cause, cause));
    let by_place = CAUSES_BY_PLACE
        .iter()
        .map(|(text, body, line)| (text, body, line));
    for (text, of_body, of_line) in same.chain(by_place) {
        let why = |is_line| not_json(text.as_bytes(), is_line, "otherwise at line 1 column 9");
        assert_eq!(why(false), *of_body, "{text}");
        assert_eq!(why(true), *of_line, "{text}");
    }
}

#[test]
fn a_byte_order_mark_is_skipped() {
    assert_eq!(crate::body::text(b"\xEF\xBB\xBF{}"), Ok("{}"));
}

#[test]
fn bytes_of_another_encoding_are_named() {
    for (bytes, expect) in [
        (
            &b"\x1F\x8B\x08"[..],
            "it is packed by gzip; send it unpacked",
        ),
        (
            b"\x28\xB5\x2F\xFD",
            "it is packed by zstd; send it unpacked",
        ),
        (b"\xFF\xFE{\0", "it is UTF-16; send UTF-8"),
        (b"{\0\"\0", "it is UTF-16; send UTF-8"),
        (b"\0{\0\"", "it is UTF-16; send UTF-8"),
        (
            b"{\"a\":\"caf\xe9\"}",
            "it is not UTF-8; send UTF-8 (column 10)",
        ),
    ] {
        assert_eq!(not_json(bytes, false, ""), expect);
    }
}
