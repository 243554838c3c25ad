use std::{collections::BTreeMap, time::Duration};

use outbound::retry_after;
use reqwest::{Response, StatusCode};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::{
    counts::Counts,
    failure::{Failure, may_pass},
};

/// The largest accepted answer, in bytes: 64 MiB of receipts, and the summary.
const LARGEST: usize = 80 << 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Outcome {
    Refused,
    /// The service could not process the line.
    Failed,
    /// The line is `created`, `updated`, `unchanged`, `expired` or `reopened`.
    #[serde(other)]
    Taken,
}

#[derive(Debug, Deserialize)]
pub struct Receipt {
    pub line: u64,
    pub id: Option<String>,
    pub outcome: Outcome,
    pub status: Option<u16>,
    #[serde(default)]
    pub message: String,
    /// The errors by field, as the service wrote them.
    pub errors: Option<Box<RawValue>>,
    #[serde(default)]
    pub notices: Vec<Notice>,
    /// The preview of a line that a dry run would take.
    pub preview: Option<Preview>,
}

/// A part of a taken line that the service did not apply as sent.
#[derive(Debug, Deserialize)]
pub struct Notice {
    pub code: String,
    #[serde(default)]
    pub field: String,
    pub message: String,
}

#[derive(Debug, Deserialize)]
pub struct Preview {
    pub verdict: Option<Verdict>,
    pub remarks: Vec<Remark>,
}

#[derive(Debug, Deserialize)]
pub struct Verdict {
    pub outcome: String,
    pub code: String,
    pub sentence: String,
}

#[derive(Debug, Deserialize)]
pub struct Remark {
    pub code: String,
    pub sentence: String,
}

impl Receipt {
    /// Whether the line expires an unknown posting, so that nothing is left to do. The service
    /// refuses lines with this status for no other reason.
    pub fn is_needless(&self) -> bool {
        self.outcome == Outcome::Refused && self.status == Some(404)
    }

    pub const fn is_refusal(&self) -> bool {
        !matches!(self.outcome, Outcome::Taken)
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Missing {
    pub count: u64,
    pub expired: u64,
    pub held: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub because: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub first: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(default)]
pub struct Changes {
    /// The postings that lost the value of a field.
    pub lost: BTreeMap<String, u64>,
    #[serde(flatten)]
    pub others: BTreeMap<String, u64>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Summary {
    #[serde(flatten)]
    pub counts: Counts,
    /// Whether the body ended properly, and every line has an outcome.
    pub complete: bool,
    /// The number of receipts that the answer leaves out because there are too many.
    pub receipts_omitted: u64,
    pub unattributed: u64,
    pub missing: Option<Missing>,
    pub notices: BTreeMap<String, u64>,
    pub changes: Option<Changes>,
    pub degraded: Vec<String>,
    pub message: Option<String>,
}

#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub after: Option<Duration>,
    pub path: String,
    pub summary: Option<Summary>,
    pub message: Option<String>,
    pub receipts: Vec<Receipt>,
}

#[derive(Deserialize)]
struct Other {
    summary: Option<Summary>,
    message: Option<String>,
}

impl Answer {
    pub async fn read(response: Response) -> Result<Self, Failure> {
        let mut answer = Self {
            status: response.status(),
            after: retry_after(response.headers()),
            path: response.url().path().to_owned(),
            summary: None,
            message: None,
            receipts: Vec::new(),
        };
        match outbound::body(response, LARGEST).await {
            Ok(body) => answer.add(&body),
            Err(unread) if answer.status.is_success() => {
                return Err(Failure::passing(format!("the service's answer {unread}")));
            }
            // An incomplete error body still counts as an error.
            Err(_) => {}
        }
        Ok(answer)
    }

    fn add(&mut self, body: &[u8]) {
        for line in body.split(|byte| *byte == b'\n') {
            if let Ok(receipt) = serde_json::from_slice(line) {
                self.receipts.push(receipt);
            } else if let Ok(Other { summary, message }) = serde_json::from_slice(line) {
                self.summary = self.summary.take().or(summary);
                self.message = self.message.take().or(message);
            }
        }
    }

    fn said(&self) -> String {
        let summary = self.summary.as_ref();
        let said = summary.and_then(|summary| summary.message.as_ref());
        let said = said.or(self.message.as_ref()).cloned();
        said.unwrap_or_else(|| self.status.to_string())
    }

    fn counts(&self) -> Counts {
        let summary = self.summary.as_ref();
        summary.map(|summary| summary.counts).unwrap_or_default()
    }

    /// Whether the import has reached the size limit, so that another import must continue.
    pub fn is_full(&self) -> bool {
        self.status == StatusCode::PAYLOAD_TOO_LARGE && self.counts().total() > 0
    }

    /// Distinguishes complete imports from repeatable and refused ones.
    pub fn judge(self, is_catalogue: bool) -> Result<Self, Failure> {
        let status = self.status;
        let said = self.said();
        let message = match &self.summary {
            Some(summary) if status.is_success() && summary.complete => return Ok(self),
            _ if status == StatusCode::PAYLOAD_TOO_LARGE => {
                if self.is_full() && !is_catalogue {
                    return Ok(self);
                }
                let problem = "the input is larger than the service, or a proxy before it, takes";
                return Err(Failure::last(format!("{problem}: {said}")));
            }
            _ if status == StatusCode::CONFLICT => {
                "another import of this catalogue is running".to_owned()
            }
            Some(_) if status == StatusCode::UNPROCESSABLE_ENTITY => {
                return Err(Failure::last(format!(
                    "the service received an incomplete input: {said}"
                )));
            }
            _ if may_pass(status) => format!("the service answered {}", status.as_u16()),
            Some(_) => "the service ended the import early".to_owned(),
            None if status.is_success() && self.message.is_none() => {
                "the service's answer is incomplete".to_owned()
            }
            None if status == StatusCode::NOT_FOUND => {
                let path = &self.path;
                return Err(Failure::last(format!(
                    "the service has no {path}; check --url and its version ({said})"
                )));
            }
            None if status == StatusCode::UNAUTHORIZED => {
                return Err(Failure::last(format!(
                    "the service does not accept the token that it has just given: {said}"
                )));
            }
            None => {
                return Err(Failure::last(format!(
                    "the service refuses the import: {said}"
                )));
            }
        };
        Err(Failure::Passing {
            message,
            after: self.after,
            is_answer: true,
            done: self.counts(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(status: u16, lines: &[&str]) -> Answer {
        let mut answer = Answer {
            status: StatusCode::from_u16(status).unwrap(),
            after: Some(Duration::from_secs(7)),
            path: "/p".to_owned(),
            summary: None,
            message: None,
            receipts: Vec::new(),
        };
        answer.add(lines.join("\n").as_bytes());
        answer
    }

    const BROKEN_OFF: &str = r#"{"summary":{"lines":4,"created":3,"refused":1}}"#;

    #[test]
    fn an_answer_has_receipts_and_a_summary() {
        let answer = answer(
            200,
            &[
                r#"{"line":2,"id":"b","outcome":"refused","status":422,"message":"m","errors":{"x":["y"]},"more":1}"#,
                r#"{"line":3,"id":null,"outcome":"failed","status":500}"#,
                "",
                r#"{"summary":{"lines":3,"created":1,"refused":1,"failed":1,"complete":true,"notices":{"unknown_field":7},"missing":{"count":4,"expired":0,"held":true,"because":"empty","first":["a"]}}}"#,
            ],
        );
        let answer = answer.judge(true).unwrap();
        let summary = answer.summary.unwrap();
        assert_eq!(summary.counts.total(), 3);
        let missing = summary.missing.unwrap();
        assert_eq!((missing.held, missing.first), (true, vec!["a".to_owned()]));
        assert_eq!(summary.notices, [("unknown_field".to_owned(), 7)].into());
        let [one, other] = &answer.receipts[..] else {
            panic!("{:?}", answer.receipts)
        };
        assert_eq!((one.line, one.outcome), (2, Outcome::Refused));
        assert_eq!(one.errors.as_ref().unwrap().get(), r#"{"x":["y"]}"#);
        assert_eq!((other.status, other.id.as_deref()), (Some(500), None));
    }

    #[test]
    fn what_may_pass_is_sent_again() {
        let message = r#"{"message":"No."}"#;
        let with_summary = [200, 400, 401, 503].map(|status| (status, BROKEN_OFF));
        let without = [408, 409, 429, 500, 502, 503, 504].map(|status| (status, message));
        let cut = [(200, r#"{"line":1,"outcome":"refused"}"#)];
        for (status, line) in with_summary.into_iter().chain(without).chain(cut) {
            let Err(Failure::Passing { after, done, .. }) = answer(status, &[line]).judge(false)
            else {
                panic!("{status} {line}")
            };
            assert_eq!(after, Some(Duration::from_secs(7)));
            assert_eq!(done.created, if line == BROKEN_OFF { 3 } else { 0 });
        }
    }

    #[test]
    fn what_is_refused_is_not_sent_again() {
        for (status, expect) in [
            (400, "the service refuses the import: No."),
            (401, "does not accept the token that it has just given: No."),
            (403, "the service refuses the import: No."),
            (404, "the service has no /p; check --url"),
            (
                413,
                "is larger than the service, or a proxy before it, takes",
            ),
            (422, "the service refuses the import: No."),
        ] {
            let judged = answer(status, &[r#"{"message":"No."}"#]).judge(false);
            let Err(Failure::Last(error)) = judged else {
                panic!("{status}")
            };
            assert!(error.to_string().contains(expect), "{error}");
        }
    }

    #[test]
    fn an_import_that_is_full_is_gone_on_with_but_no_catalogue() {
        assert!(answer(413, &[BROKEN_OFF]).judge(false).unwrap().is_full());
        assert!(answer(413, &[BROKEN_OFF]).judge(true).is_err());
    }
}
