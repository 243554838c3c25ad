//! A line of an import: `{"id":…,"payload":{…}}`.

use std::borrow::Cow;

use fields::{
    Patch, Sent,
    body::{self, BodyError},
    validation::{FieldErrors, Rule},
};
use kernel::{CatalogueId, ClientId, Forbidden, PostingId, Prefixes, SourceIdentifier};
use serde::{Deserialize, de::IgnoredAny};
use serde_json::value::RawValue;
use uuid::Uuid;

use super::Names;
use crate::{
    authority::Principal,
    posting::{Handling, IngestError, Payload, PostingPatch, PutPosting},
};

/// A line as it arrived. Blank lines are omitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its physical line number, from 1.
    pub number: u64,
    /// Its text.
    pub text: LineText,
}

/// The text of a line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LineText {
    /// All of it, without its line end.
    Whole(Vec<u8>),
    /// Its beginning only.
    TooLong(TooLong),
}

/// A line that is longer than a body may be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLong {
    /// The limit in bytes.
    pub limit: usize,
    /// Its first bytes, [`TooLong::KEPT`] at most.
    pub beginning: Vec<u8>,
    /// See [`LongLine::has_more`](super::LongLine::has_more).
    pub has_more: bool,
}

impl TooLong {
    /// The kept bytes of a long line: enough for 255 characters with two escapes each.
    pub const KEPT: usize = 4 << 10;
}

/// The client's options for all lines of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineOptions {
    /// The client.
    pub client: ClientId,
    /// How unknown fields and wrong values are handled.
    pub handling: Handling,
    /// The catalogue that lists the postings. A line also asks to reopen its posting, unless the
    /// line itself expires the posting.
    pub catalogue: Option<CatalogueId>,
    /// The import's random id.
    pub import: Option<Uuid>,
}

/// Why a line has no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// It is longer than a body may be.
    #[error("The line is longer than {0} bytes.")]
    TooLong(usize),
    /// It is not JSON.
    #[error("The line is not valid JSON: {0}.")]
    NotJson(String),
    /// Its fields are invalid, regardless of the stored posting.
    #[error(transparent)]
    Invalid(FieldErrors),
    /// The client may not use the identifier.
    #[error(transparent)]
    Forbidden(#[from] Forbidden),
    /// The command was refused, or failed.
    #[error(transparent)]
    Ingest(#[from] IngestError),
}

impl From<BodyError> for LineError {
    fn from(error: BodyError) -> Self {
        match error {
            BodyError::NotJson(why) => Self::NotJson(why),
            BodyError::Invalid(errors) => Self::Invalid(errors),
        }
    }
}

/// A parsed line.
#[derive(Debug)]
pub struct Parsed {
    /// The postings that it names.
    pub names: Names,
    /// Its command.
    pub command: Result<PutPosting, LineError>,
}

/// A line without structural errors, read in one pass. Almost every line is plain. Any other line
/// is read again as an [`Entry`], to find its error.
#[derive(Deserialize)]
struct Plain<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    payload: Sent<PostingPatch>,
}

#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(borrow, default)]
    payload: Option<&'a RawValue>,
}

impl Line {
    /// Parses a line, and checks that the client may use its identifier.
    pub fn parse(&self, options: &LineOptions, prefixes: &Prefixes, new_id: PostingId) -> Parsed {
        let refused = |error| Parsed {
            names: self.names(),
            command: Err(error),
        };
        let line = match &self.text {
            LineText::Whole(text) => text,
            LineText::TooLong(line) => return refused(LineError::TooLong(line.limit)),
        };
        let unread = |error| match error {
            BodyError::NotJson(why) => {
                refused(LineError::NotJson(body::not_json(line, true, &why)))
            }
            invalid @ BodyError::Invalid(_) => refused(invalid.into()),
        };
        let text = match body::text(line) {
            Ok(text) => text,
            Err(error) => return unread(error),
        };
        let (id, payload) = match plain(text) {
            Some((id, payload)) => {
                let payload = Payload::from(payload.checked());
                let payload = match options.handling {
                    Handling::Lenient => read(text).and_then(|(_, json)| payload.leniently(json)),
                    _ => Ok(payload),
                };
                (id, payload)
            }
            None => match read(text) {
                Ok((id, json)) => match Payload::parse(json) {
                    Ok(payload) if options.handling == Handling::Lenient => {
                        (id, payload.leniently(json))
                    }
                    Ok(payload) => (id, Ok(payload)),
                    // A payload that is no object may contain the objects of other lines, so the
                    // line names all identifiers in it.
                    Err(error) => {
                        return Parsed {
                            names: self.names(),
                            command: command(&id, Err(error), options, prefixes, new_id),
                        };
                    }
                },
                Err(error) => return unread(error),
            },
        };
        let command = command(&id, payload, options, prefixes, new_id);
        Parsed {
            names: Names::of(id),
            command,
        }
    }

    /// The postings that an unparsable line names.
    pub fn names(&self) -> Names {
        match &self.text {
            LineText::Whole(text) => Names::read(text),
            LineText::TooLong(line) => Names::read_beginning(&line.beginning, line.has_more),
        }
    }
}

/// The identifier and payload of a [`Plain`] line. `None` for other lines, and if U+0000 may occur.
fn plain(line: &str) -> Option<(String, Sent<PostingPatch>)> {
    if body::may_have_nul(line) || !line.trim_start().starts_with('{') {
        return None;
    }
    let Plain { id, payload } = serde_json::from_str(line).ok()?;
    matches!(payload.patch, Patch::Set(_)).then(|| (id.into_owned(), payload))
}

fn read(text: &str) -> Result<(String, &str), BodyError> {
    let entry = entry(text)?;
    let mut errors = FieldErrors::default();
    for (name, member) in [("id", entry.id), ("payload", entry.payload)] {
        if member.is_none() {
            errors.add_as(Rule::Missing, name, "is required");
        }
    }
    let id = entry.id.map(|id| serde_json::from_str(id.get()));
    if let Some(Err(_)) = id {
        let is_string = entry.id.is_some_and(|id| id.get().starts_with('"'));
        let why = if is_string {
            // The parser refuses no other string of valid JSON.
            body::HALF_OF_PAIR
        } else {
            "must be a string"
        };
        errors.add("id", why);
    }
    match (id, entry.payload) {
        (Some(Ok(id)), Some(payload)) => Ok((id, payload.get())),
        _ => Err(BodyError::Invalid(errors)),
    }
}

fn entry(text: &str) -> Result<Entry<'_>, BodyError> {
    let not_json = |error: serde_json::Error| BodyError::NotJson(error.to_string());
    let invalid = |why| BodyError::Invalid(FieldErrors::one("line", why));
    if !text.trim_start().starts_with('{') {
        serde_json::from_str::<IgnoredAny>(text).map_err(not_json)?;
        return Err(invalid(if body::is_encoded_twice(text) {
            "must be a JSON object, and is a string that holds one; encode it once"
        } else {
            "must be a JSON object with `id` and `payload`"
        }));
    }
    serde_json::from_str(text).map_err(|error| {
        if error.is_data() {
            invalid("must have `id` and `payload` once each")
        } else {
            not_json(error)
        }
    })
}

/// The command of a line. An identifier that the client may not use is refused first.
fn command(
    id: &str,
    payload: Result<Payload, BodyError>,
    options: &LineOptions,
    prefixes: &Prefixes,
    new_id: PostingId,
) -> Result<PutPosting, LineError> {
    let identifier = SourceIdentifier::new(id);
    if let Ok(identifier) = &identifier {
        prefixes.check(identifier)?;
    }
    let by = Principal::new(options.client, prefixes);
    let mut put = PutPosting::of(identifier, payload?, options.handling, by, new_id)?;
    put.import = options.import;
    Ok(match options.catalogue {
        Some(catalogue) => put.listed_in(catalogue),
        None => put,
    })
}

#[cfg(test)]
mod tests {
    use kernel::testing::uuid;

    use super::*;
    use crate::{posting::Expiration, testing::put_id};

    fn options() -> LineOptions {
        LineOptions {
            client: ClientId::new(uuid(1)),
            handling: Handling::Usual,
            catalogue: None,
            import: None,
        }
    }

    fn parse(text: &[u8], options: &LineOptions, prefixes: &[&str]) -> Parsed {
        let line = Line {
            number: 1,
            text: LineText::Whole(text.to_vec()),
        };
        line.parse(options, &Prefixes::new(prefixes).unwrap(), put_id("a"))
    }

    #[test]
    fn a_line_is_a_command() {
        let line = br#" {"payload":{"title":"T","salary_min":1},"more":[],"id":"a/\u00e9"} "#;
        let Parsed { names, command } = parse(line, &options(), &["a"]);
        let put = command.unwrap();
        assert_eq!(names, Names::of("a/é".to_owned()));
        assert_eq!(put.identifier.as_str(), "a/é");
        assert_eq!(put.patch.title.value().map(String::as_str), Some("T"));
        assert_eq!((put.by.client, put.new_id), (options().client, put_id("a")));
        assert!(put.by.is_fenced);
        assert_eq!((put.catalogue, put.patch.expiration), (None, Patch::Keep));
    }

    #[test]
    fn what_is_no_line_is_refused() {
        let object = "must be a JSON object with `id` and `payload`";
        let once = "must have `id` and `payload` once each";
        let twice = "must be a JSON object, and is a string that holds one; encode it once";
        let half = "has one half of a surrogate pair, which is no character; remove it";
        for (line, id, field, why) in [
            ("7", None, "line", object),
            (r#"["a",{}]"#, None, "line", object),
            (r#""{\"id\":\"a\"}""#, None, "line", twice),
            (r#"{"id":"a","payload":"{}"}"#, Some("a"), "body", twice),
            (r#"{"id":"x\ud800","payload":{}}"#, None, "id", half),
            (r#"{"id":"a"}"#, Some("a"), "payload", "is required"),
            (r#"{"payload":{}}"#, None, "id", "is required"),
            (
                r#"{"id":7,"payload":{}}"#,
                Some("7"),
                "id",
                "must be a string",
            ),
            (r#"{"id":null,"payload":{}}"#, None, "id", "is required"),
            (
                r#"{"id":"a","payload":{},"id":"b"}"#,
                Some("a"),
                "line",
                once,
            ),
            (
                r#"{"id":"a","payload":[]}"#,
                Some("a"),
                "body",
                "must be a JSON object",
            ),
        ] {
            let parsed = parse(line.as_bytes(), &options(), &[]);
            assert_eq!(parsed.names.id.as_deref(), id, "{line}");
            let error = parsed.command.unwrap_err();
            let LineError::Invalid(errors) = &error else {
                panic!("{line}: {error:?}");
            };
            let errors: Vec<_> = errors.iter().collect();
            assert_eq!(errors, [(field, &[why.to_owned()][..])], "{line}");
        }
        for (payload, why) in [
            (
                r#"{"title":"A","title":"B"}"#,
                "title is given twice; send it once",
            ),
            (
                r#"{"locations":[{},{"city":"\ud83d"}]}"#,
                &format!("locations.1.city {half}"),
            ),
        ] {
            let line = format!(r#"{{"id":"a","payload":{payload}}}"#);
            let parsed = parse(line.as_bytes(), &options(), &[]);
            assert_eq!(
                parsed.command.unwrap_err(),
                LineError::NotJson(why.to_owned())
            );
        }
        for (line, id) in [
            (&b"nonsense"[..], None),
            (b"{\"id\":\"a\",\"payload\":{", Some("a")),
            (
                b"{\"id\":\"a\",\"payload\":{\"title\":\"\xff\"}}",
                Some("a"),
            ),
            (b"{} x", None),
        ] {
            let parsed = parse(line, &options(), &[]);
            assert_eq!(parsed.names.id.as_deref(), id);
            let error = parsed.command.unwrap_err();
            assert!(matches!(error, LineError::NotJson(_)), "{error:?}");
        }
        let line = Line {
            number: 1,
            text: LineText::TooLong(TooLong {
                limit: 9,
                beginning: br#"{"id":"a","#.to_vec(),
                has_more: false,
            }),
        };
        let parsed = line.parse(&options(), &Prefixes::ALL, put_id("a"));
        assert_eq!(parsed.names.id.as_deref(), Some("a"));
        assert_eq!(parsed.command.unwrap_err(), LineError::TooLong(9));
    }

    #[test]
    fn one_pass_reads_what_two_read() {
        let vast = r#"{"id":"a","payload":{"salary_min":1e400}}"#;
        for (line, is_plain) in [
            (
                r#"{"id":"a","payload":{"title":" T ","company":{"website_url":"x"}}}"#,
                true,
            ),
            (
                r#"{"payload":{"metadata":{"a":[1]},"x":{}},"y":[],"id":"\u0061"}"#,
                true,
            ),
            (
                r#"{"id":"","payload":{"salary_min":"1","title":null}}"#,
                true,
            ),
            (r#"{"id":"a","payload":{"title":"\u0000"}}"#, false),
            (r#"{"id":"a","payload":{"title":"\\u0000"}}"#, false),
            (r#"{"id":"a","payload":[]}"#, false),
            (r#"{"id":"a","payload":null}"#, false),
            (r#"{"id":1,"payload":{}}"#, false),
            (r#"{"id":"a","id":"a","payload":{}}"#, false),
            (r#"{"id":"a","payload":{"title":"T","title":"T"}}"#, false),
            (r#"["a",{}]"#, false),
            (r#"{"id":"a"}"#, false),
            (vast, false),
        ] {
            assert_eq!(plain(line).is_some(), is_plain, "{line}");
            let (open, rest) = line.split_at(1);
            let again = format!(r#"{open}"more":"\u0000",{rest}"#);
            let [once, twice] = [line, &again].map(|line| parse(line.as_bytes(), &options(), &[]));
            if is_plain {
                assert_eq!(format!("{once:?}"), format!("{twice:?}"), "{line}");
            }
        }
    }

    #[test]
    fn identifiers_of_others_are_forbidden_before_anything_else() {
        let parsed = parse(br#"{"id":"b","payload":{"title":7}}"#, &options(), &["a"]);
        assert_eq!(parsed.names.id.as_deref(), Some("b"));
        let error = parsed.command.unwrap_err();
        assert!(matches!(error, LineError::Forbidden(_)));
        for (line, is_unattributed) in [
            (r#"{"id":"b","payload":{}}"#, true),
            (r#"{"id":"ab","payload":{"title":7}}"#, false),
            (r#"{"id":"ab","payload":[]}"#, false),
            (r#"{"id":"ab","payload":[{"id":"ac","payload":{}}]}"#, true),
        ] {
            let prefixes = Prefixes::new(&["a"]).unwrap();
            let parsed = parse(line.as_bytes(), &options(), &["a"]);
            assert_eq!(
                parsed.names.are_incomplete(&prefixes),
                is_unattributed,
                "{line}"
            );
        }
        let parsed = parse(br#"{"id":"","payload":{"title":7}}"#, &options(), &["a"]);
        let LineError::Invalid(errors) = parsed.command.unwrap_err() else {
            panic!("a bad identifier is a field error");
        };
        assert!(errors.concern("title") && errors.concern(PutPosting::IDENTIFIER));
    }

    #[test]
    fn a_catalogue_brings_back_what_its_lines_do_not_expire() {
        let catalogue = CatalogueId::new(uuid(2));
        let options = LineOptions {
            catalogue: Some(catalogue),
            ..options()
        };
        for (payload, expect) in [
            ("{}", Patch::Clear),
            (r#"{"expiration":null}"#, Patch::Clear),
            (r#"{"expiration":{}}"#, Patch::Set(Expiration::default())),
        ] {
            let line = format!(r#"{{"id":"a","payload":{payload}}}"#);
            let put = parse(line.as_bytes(), &options, &[]).command.unwrap();
            assert_eq!(
                (put.catalogue, put.patch.expiration),
                (Some(catalogue), expect)
            );
        }
    }

    #[test]
    fn unknown_fields_are_errors_for_who_wants_that() {
        let strict = LineOptions {
            handling: Handling::Strict,
            ..options()
        };
        for (options, is_refused) in [(options(), false), (strict, true)] {
            let line = br#"{"id":"a","payload":{"tittle":"T"}}"#;
            let put = parse(line, &options, &[]).command.unwrap();
            assert_eq!(put.errors.concern("tittle"), is_refused);
        }
    }
}
