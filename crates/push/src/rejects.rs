//! The lines that were not taken, in a file that can be pushed again.

use std::{
    borrow::Cow,
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

/// A line of the file.
#[derive(Serialize)]
struct Reject<'a> {
    id: Cow<'a, RawValue>,
    /// The line as a text, if it is not one of a posting.
    payload: Cow<'a, RawValue>,
    status: Option<u16>,
    message: &'a str,
    errors: Cow<'a, RawValue>,
}

/// Writes each line that was not taken with its errors: reads the source once more to find it.
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
    let (id, payload) = if let Ok(Entry { id, payload }) = serde_json::from_slice(line) {
        (Cow::Borrowed(id), Cow::Borrowed(payload))
    } else {
        let text = String::from_utf8_lossy(line);
        (
            Cow::Owned(to_raw_value(&receipt.id)?),
            Cow::Owned(to_raw_value(&text)?),
        )
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
}
