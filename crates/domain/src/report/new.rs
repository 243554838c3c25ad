//! The bodies of requests that report a posting or object to a decision.

use fields::{
    Patch, Term,
    body::{self, BodyError},
    checks::value,
    fields,
    website::check_web_url,
};
use kernel::SourceIdentifier;

use super::{ReportReason, Reporter};
use crate::posting::check_email;

/// The longest statement of a reporter or of an objection, in characters.
const LONGEST_STATEMENT: usize = 2_000;

/// The name of a report's posting: its identifier or UUID.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PostingName(pub SourceIdentifier);

impl Term for PostingName {
    const EXPECTED: &'static str = "the UUID or the identifier of a posting";

    fn parse(text: &str) -> Option<Self> {
        SourceIdentifier::new(text).ok().map(Self)
    }
}

fields! {
    struct ReporterFields {
        #[garde(length(chars, max = 255))]
        optional name: String,
        #[garde(custom(value(check_email)))]
        present email: String,
    }
}

fields! {
    struct ReportFields {
        present posting: PostingName,
        present reason: ReportReason,
        #[garde(length(chars, max = LONGEST_STATEMENT))]
        present statement: String,
        #[garde(dive)]
        optional reporter: ReporterFields,
        #[garde(length(chars, max = 2048), custom(value(check_web_url)))]
        optional url: String,
    }
}

fields! {
    struct ObjectionFields {
        #[garde(length(chars, max = LONGEST_STATEMENT))]
        present statement: String,
    }
}

/// A report as it is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewReport {
    /// The posting.
    pub posting: PostingName,
    /// The reason.
    pub reason: ReportReason,
    /// The reader's words.
    pub statement: String,
    /// The reader.
    pub reporter: Option<Reporter>,
    /// Where the reader saw the posting.
    pub url: Option<String>,
}

impl NewReport {
    /// Parses a body, and reports every error at once.
    pub fn parse(body: &[u8]) -> Result<Self, BodyError> {
        let (fields, mut errors) = body::parse::<ReportFields>(body::text(body)?)?;
        body::refuse_unknown::<ReportFields>(&mut errors);
        if !errors.is_empty() {
            return Err(BodyError::Invalid(errors));
        }
        let reporter = fields.reporter.into_value().and_then(|reporter| {
            Some(Reporter {
                name: reporter.name.into_value(),
                email: reporter.email.into_value()?.to_lowercase(),
            })
        });
        match (fields.posting, fields.reason, fields.statement) {
            (Patch::Set(posting), Patch::Set(reason), Patch::Set(statement)) => Ok(Self {
                posting,
                reason,
                statement,
                reporter,
                url: fields.url.into_value(),
            }),
            _ => Err(BodyError::Invalid(errors)),
        }
    }
}

/// Parses the body of an objection: the client's words.
pub fn parse_objection(body: &[u8]) -> Result<String, BodyError> {
    let (fields, mut errors) = body::parse::<ObjectionFields>(body::text(body)?)?;
    body::refuse_unknown::<ObjectionFields>(&mut errors);
    match fields.statement {
        Patch::Set(statement) if errors.is_empty() => Ok(statement),
        _ => Err(BodyError::Invalid(errors)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_read_with_all_its_errors() {
        let sent = r#"{"posting":"job-1","reason":"fraud","statement":" It asks\n for money. ",
            "reporter":{"name":null,"email":"Ann@Reader.Example"},"url":"https://b.example/1"}"#;
        let report = NewReport::parse(sent.as_bytes()).unwrap();
        assert_eq!(report.statement, "It asks for money.");
        let reporter = report.reporter.unwrap();
        assert_eq!(
            (reporter.name, reporter.email.as_str()),
            (None, "ann@reader.example")
        );
        let bare = r#"{"posting":"job-1","reason":"other","statement":"x","reporter":null}"#;
        assert_eq!(NewReport::parse(bare.as_bytes()).unwrap().reporter, None);

        let long = "x".repeat(LONGEST_STATEMENT + 1);
        let sent = format!(
            r#"{{"reason":"fake","statement":"{long}","reporter":{{"email":"ann"}},"url":"b"}}"#
        );
        let BodyError::Invalid(errors) = NewReport::parse(sent.as_bytes()).unwrap_err() else {
            panic!("it is JSON");
        };
        let fields: Vec<_> = errors.iter().map(|(field, _)| field).collect();
        assert_eq!(
            fields,
            ["reason", "statement", "reporter.email", "url", "posting"]
        );
        let unknown = br#"{"statement":"x","why":"y"}"#;
        assert!(parse_objection(unknown).is_err());
        assert_eq!(parse_objection(br#"{"statement":"x"}"#).unwrap(), "x");
    }
}
