use std::{
    borrow::Cow,
    fmt::Write as _,
    io::{self, Write},
    ops::ControlFlow,
};

use anyhow::Context as _;
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::{
    answer::Receipt,
    entry::{Entry, write_line},
    import::{Import, Options},
    source::Source,
};

#[derive(Serialize)]
struct Reject<'a> {
    id: Cow<'a, RawValue>,
    /// The payload is a text if the line was unreadable, or had a text as its payload.
    payload: Cow<'a, RawValue>,
    status: Option<u16>,
    message: &'a str,
    errors: Cow<'a, RawValue>,
}

/// Reads the source again to find the lines.
pub fn write_rejects(
    source: &Source,
    options: &Options,
    import: &Import,
    file: &mut impl Write,
) -> anyhow::Result<()> {
    let receipts = import.receipts.iter();
    let mut receipts = receipts.filter(|receipt| receipt.is_refusal()).peekable();
    let mut written = Ok(());
    let mut sent = Vec::new();
    source.read(|line| {
        if receipts.peek().is_none() {
            return ControlFlow::Break(());
        }
        if let Some(receipt) = receipts.next_if(|receipt| receipt.line == line.number) {
            sent.clear();
            write_line(line.text, options.reopen, &mut sent);
            written = write(&sent, receipt, file);
        }
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(_) => ControlFlow::Break(()),
        }
    })?;
    written
        .and_then(|()| file.flush())
        .context("the file for --rejects cannot be written")
}

fn write(line: &[u8], receipt: &Receipt, file: &mut impl Write) -> io::Result<()> {
    let entry = serde_json::from_slice(line).ok();
    let entry = entry.filter(|Entry { payload, .. }| !payload.get().starts_with('"'));
    let (id, payload) = match entry {
        Some(Entry { id, payload }) => (Cow::Borrowed(id), Cow::Borrowed(payload)),
        None => (
            Cow::Owned(to_raw_value(&receipt.id)?),
            Cow::Owned(to_raw_value(&text(line))?),
        ),
    };
    let reject = Reject {
        id,
        payload,
        status: receipt.status,
        message: &receipt.message,
        errors: match &receipt.errors {
            Some(errors) => Cow::Borrowed(errors),
            None => Cow::Owned(RawValue::from_string("{}".to_owned())?),
        },
    };
    serde_json::to_writer(&mut *file, &reject)?;
    file.write_all(b"\n")
}

/// A byte that is not UTF-8 becomes `\\xE9`, which the service refuses; no byte is lost.
fn text(line: &[u8]) -> String {
    let mut text = String::with_capacity(line.len());
    for chunk in line.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            _ = write!(text, "\\x{byte:02X}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn rejects_say_what_was_sent_and_what_was_answered() {
        let lines = [
            r#"{"id":"good","payload":{}}"#,
            r#"{"id":"a\/b", "errors":{}, "payload":{"n":1.50,"n":1.50}}"#,
            "",
            r#"{"id":"c"}"#,
            "nonsense \"x\"",
            r#"{"id":"d","payload":7}"#,
        ];
        let receipts = [
            r#"{"line":1,"id":"good","outcome":"created","status":201}"#,
            r#"{"line":2,"id":"a/b","outcome":"refused","status":422,"message":"Two.",
                "errors":{"company.name":["is required"],"title":["is required"]}}"#,
            r#"{"line":4,"id":"c","outcome":"refused","status":422,"message":"No payload."}"#,
            r#"{"line":5,"id":null,"outcome":"refused","status":400,"message":"No JSON."}"#,
            r#"{"line":6,"id":"d","outcome":"failed","status":503,"message":"Away."}"#,
        ];
        let receipts = receipts.map(|receipt| serde_json::from_str(receipt).unwrap());
        let import = Import {
            receipts: receipts.into(),
            ..Import::default()
        };
        let mut options = Options::default();
        let mut written = |reopen| {
            let mut file = Vec::new();
            options.reopen = reopen;
            let source = Source::text(&lines.join("\n"));
            write_rejects(&source, &options, &import, &mut file).unwrap();
            String::from_utf8(file).unwrap()
        };
        let text = written(false);
        assert!(
            text.starts_with(r#"{"id":"a\/b","payload":{"n":1.50,"n":1.50},"#),
            "{text}"
        );
        let rows: Vec<Value> = text
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        let expect = [
            json!({"id": "a/b", "payload": {"n": 1.50}, "status": 422, "message": "Two.",
                "errors": {"company.name": ["is required"], "title": ["is required"]}}),
            json!({"id": "c", "payload": "{\"id\":\"c\"}", "status": 422,
                "message": "No payload.", "errors": {}}),
            json!({"id": null, "payload": "nonsense \"x\"", "status": 400, "message": "No JSON.",
                "errors": {}}),
            json!({"id": "d", "payload": 7, "status": 503, "message": "Away.", "errors": {}}),
        ];
        assert_eq!(rows, expect);
        let first = r#"{"id":"a\/b","payload":{"expiration":null,"n":1.50,"n":1.50},"#;
        assert!(written(true).starts_with(first));
    }

    #[test]
    fn a_line_that_was_not_read_can_be_corrected_and_pushed_again() {
        let lines = [
            r#"{"id":"a","payload":{"n":NaN}}"#,
            r#"{"id":"b","payload":"{}"}"#,
            r#"{"id":"c","payload":{"t":"5" pipe"}}"#,
        ];
        let refused =
            |line, id| json!({"line": line, "id": id, "outcome": "refused", "status": 400});
        let receipts = [refused(1, "a"), refused(2, "b"), refused(3, "c")];
        let receipts = receipts.map(|receipt| serde_json::from_value(receipt).unwrap());
        let import = Import {
            receipts: receipts.into(),
            ..Import::default()
        };
        let mut file = Vec::new();
        let options = Options::default();
        let source = Source::text(&lines.join("\n"));
        write_rejects(&source, &options, &import, &mut file).unwrap();
        let file = String::from_utf8(file).unwrap();
        let sent = |file: &str| {
            let lines = file.lines().map(|line| {
                let mut sent = Vec::new();
                write_line(line.as_bytes(), false, &mut sent);
                String::from_utf8(sent).unwrap()
            });
            lines.collect::<Vec<_>>()
        };
        assert_eq!(sent(&file), lines);
        let corrected = sent(&file.replace("NaN", "null"));
        assert_eq!(corrected[0], r#"{"id":"a","payload":{"n":null}}"#);
        assert_eq!(
            text(b"{\"t\":\"caf\xe9 \xc3\xa9\"}"),
            r#"{"t":"caf\xE9 é"}"#
        );
    }
}
