use std::io::{BufReader, Cursor};

use super::*;

static LAYOUT: Layout = Layout {
    columns: [
        "email",
        "name",
        "country",
        "plan_category",
        "status",
        "expires_at",
    ],
    required: 6,
    ignored: &["migration_token"],
};

const HEADER: &str = "email,name,country,plan_category,status,expires_at\n";

/// Each record as a line: its first line, and its fields or error.
fn records(text: impl AsRef<[u8]>) -> Vec<String> {
    // The buffer is smaller than a line.
    let input = BufReader::with_capacity(7, Cursor::new(text.as_ref().to_vec()));
    let mut records = Records::open(input, &LAYOUT).unwrap();
    let mut all = Vec::new();
    while let Some(record) = records.next_record().unwrap() {
        all.push(match record.fields {
            Ok(fields) => format!("{} {}", record.line, fields.join("|")),
            Err(why) => format!("{}: {why}", record.line),
        });
    }
    all
}

#[test]
fn records_are_found_with_the_lines_they_begin_on() {
    let body = "a@b.example,Ada,,,,\n\n  \n\
                b@b.example,\"Lovelace, \"\"Ada\"\"\",\"Two\nlines\",team,active,2027-01-31\n\
                c@b.example, Cy ,it\"s \"plain\",,,\n\
                \"d@b.example\",\"\",\"\",\"\",\"\",\"\"";
    let expect = [
        "2 a@b.example|Ada||||",
        "5 b@b.example|Lovelace, \"Ada\"|Two\nlines|team|active|2027-01-31",
        "7 c@b.example|Cy|it\"s \"plain\"|||",
        "8 d@b.example|||||",
    ];
    let text = format!("{HEADER}{body}");
    assert_eq!(records(&text), expect);
    assert_eq!(records(format!("\u{FEFF}{text}\n")), expect, "with a mark");
    let crlf = records(text.replace('\n', "\r\n")).join(";");
    assert_eq!(crlf.replace("\r\n", "\n"), expect.join(";"));
    assert_eq!(records(HEADER), [""; 0]);

    // An export is read without its tokens, and columns are found by name.
    let header = HEADER.replace('\n', ",migration_token\n");
    let exported = format!("{header}a@b.example,Ada,,,,,token\nb@b.example,,,,,\n");
    let expect = ["2 a@b.example|Ada||||", "3: has 6 columns instead of 7"];
    assert_eq!(records(exported), expect);
    let header = "name,status,email,expires_at,country,plan_category";
    let text = format!("{header}\nAda,active,a@b.example,,NO,team\n");
    assert_eq!(records(text), ["2 a@b.example|Ada|NO|team|active|"]);
}

/// An unclosed quote costs no memory.
#[test]
fn what_is_no_record_is_said_by_its_line() {
    let open = "2: has a quote that is not closed by line 3";
    let (some, much) = ("x".repeat(40 << 10), "x".repeat(1 << 20));
    for (lines, first) in [
        (&b"a@b.example\n"[..], "2: has 1 column instead of 6"),
        (b"a@b.example,,,,,,\n", "2: has 7 columns instead of 6"),
        (b"a@b.example,\xFF,,,,\n", "2: name must be UTF-8"),
        (b"\xFF@b.example,,,,,\n", "2: email must be UTF-8"),
        (format!("a,\"{some}\n{some}\n{some}\n").as_bytes(), open),
        (
            format!("a,{much},,,,\n").as_bytes(),
            "2: is longer than 65536 bytes",
        ),
    ] {
        let text = [HEADER.as_bytes(), lines, b"b@b.example,,,,,\n"].concat();
        let found = records(text);
        assert_eq!(found[0], first);
        let last = found.last().unwrap();
        assert!(last.ends_with(" b@b.example|||||"), "{found:?}");
    }
    let text = format!("{HEADER}a@b.example,\"Ada,,,,\nb@b.example,,,,,\n");
    assert_eq!(records(text), [open]);
}

#[test]
fn the_header_must_be_the_right_one() {
    for (text, expect) in [
        ("", "the file is empty; its first line must be email,name,"),
        ("\n\n", "the file is empty;"),
        ("a@b.example,,,,,\n", "line 1: the header must be email,"),
        ("\nname,country\n", "line 2: the header must be"),
        (
            "email,name,country,plan_category,status,expires_at,city\n",
            "line 1: the header",
        ),
        (
            "email,name,country,plan_category,status,status\n",
            "line 1: the header must be",
        ),
        (
            "email;name;country;plan_category;status;expires_at\n",
            "line 1: the header",
        ),
    ] {
        let error = Records::open(text.as_bytes(), &LAYOUT).err().unwrap();
        let error = error.to_string();
        assert!(error.starts_with(expect), "{text:?}: {error}");
        let says_how = error.ends_with("by semicolons instead of commas");
        assert_eq!(says_how, text.contains(';'), "{error}");
    }
    let quoted = "\"email\", name ,country,plan_category,status,expires_at\r\n";
    assert!(Records::open(quoted.as_bytes(), &LAYOUT).is_ok());
}
