//! The bodies of requests about endpoints, and the rules that each field holds.

use std::str::FromStr;

use domain::posting::event::PUBLIC;
use fields::{
    FieldValue, Patch, Term,
    body::{self, BodyError},
    fields,
    suggest::{self, Word},
    unique,
    validation::{FieldErrors, Rule},
    vocabulary::vocabulary,
};
use kernel::event::{Cursor, EventName};
use time::OffsetDateTime;

use super::{EndpointUrl, PrivateAddresses};

/// The longest description, in characters.
pub const LONGEST_DESCRIPTION: usize = 255;

vocabulary! {
    /// The states that an owner may ask for.
    WantedState {
        /// Deliver; events that waited follow.
        Active = "active",
        /// Wait.
        Paused = "paused",
    }
}

/// An endpoint to register, as its owner describes it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEndpoint {
    /// The receiver's address.
    pub url: EndpointUrl,
    /// The names of the wanted events; `None` for all.
    pub names: Option<Vec<EventName>>,
    /// Whether events of a posting carry the posting.
    pub include_posting: bool,
    /// The owner's description.
    pub description: Option<String>,
}

/// A change of an endpoint by its owner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EndpointChange {
    /// The address; never cleared.
    pub url: Patch<EndpointUrl>,
    /// The names of the wanted events; cleared, all are wanted.
    pub names: Patch<Vec<EventName>>,
    /// Whether events of a posting carry the posting; cleared, they do not.
    pub include_posting: Patch<bool>,
    /// The description.
    pub description: Patch<String>,
    /// The state; never cleared.
    pub state: Patch<WantedState>,
}

/// The name of an event that readers outside may see.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicEvent(pub EventName);

impl Term for PublicEvent {
    const EXPECTED: &'static str = "one of JobPostingCreated, JobPostingUpdated, \
        JobPostingApproved, JobPostingRejected, JobPostingExpired, JobPostingReopened, \
        JobPostingEnriched, JobPostingErased, CompanyUpdated";

    fn parse(text: &str) -> Option<Self> {
        let mut names = PUBLIC.into_iter();
        names.find(|name| name.as_str() == text).map(Self)
    }

    /// In another case, with other separators, without the subject, or misspelt.
    fn likely(text: &str) -> Option<&'static str> {
        static ALL: &[EventName] = &PUBLIC;
        let names = || ALL.iter().map(EventName::as_str);
        let folded: String = text.chars().filter(char::is_ascii_alphanumeric).collect();
        let folded = folded.to_ascii_lowercase();
        let short = ["jobposting", "posting", "job", ""];
        let mut short = short
            .iter()
            .filter_map(|subject| folded.strip_prefix(subject));
        let means =
            |short: &str, name: &str| name.eq_ignore_ascii_case(&format!("jobposting{short}"));
        let found = short.find_map(|short| names().find(|name| means(short, name)));
        let words: Vec<Word> = names().map(|name| (name, &[][..])).collect();
        found.or_else(|| suggest::word(text, &words))
    }
}

impl FromStr for PublicEvent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::parse(text.trim()).ok_or_else(|| {
            let meant = Self::likely(text).map(|name| format!("; is {name:?} meant?"));
            format!(
                "{text:?} is not {}{}",
                <Self as Term>::EXPECTED,
                meant.unwrap_or_default()
            )
        })
    }
}

impl PublicEvent {
    /// The names of the events that an owner lists, each once, in the order of the list.
    pub fn names(listed: Vec<Self>) -> Vec<EventName> {
        unique(listed.into_iter().map(|Self(name)| name))
    }
}

fields! {
    /// The body of a request that registers or changes an endpoint.
    struct EndpointFields {
        required url: String,
        optional types: Vec<PublicEvent>,
        optional include_posting: bool,
        #[garde(length(chars, max = LONGEST_DESCRIPTION))]
        optional description: String,
        required state: WantedState,
    }
}

/// The members of bodies, with their names in other services.
const MEMBERS: [Word; 7] = [
    (
        "url",
        &[
            "endpoint",
            "target",
            "target url",
            "callback",
            "callback url",
            "address",
            "uri",
            "href",
        ],
    ),
    (
        "types",
        &[
            "events",
            "event",
            "event types",
            "events types",
            "event names",
            "enabled events",
            "topics",
            "topic",
            "subscriptions",
            "filter types",
            "names",
        ],
    ),
    (
        "include_posting",
        &[
            "posting",
            "with posting",
            "include payload",
            "include data",
            "include job posting",
        ],
    ),
    (
        "description",
        &["name", "title", "label", "comment", "note"],
    ),
    (
        "state",
        &[
            "status",
            "active",
            "enabled",
            "is active",
            "paused",
            "disabled",
        ],
    ),
    ("since", &["from", "after", "start", "timestamp", "time"]),
    ("event", &["id", "event id", "webhook id", "message id"]),
];

/// Refuses members that a body of `T` does not have. A misspelt member would otherwise change the
/// deliveries without any error.
fn refuse_unknown<T: FieldValue>(errors: &mut FieldErrors) {
    body::refuse_unknown_as(errors, |name| {
        let known = |(member, _): &Word| T::FIELDS.iter().any(|field| field.name == *member);
        let members: Vec<_> = MEMBERS.into_iter().filter(known).collect();
        suggest::word(name, &members).map(str::to_owned)
    });
}

/// The id of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct EventId(Cursor);

impl Term for EventId {
    const EXPECTED: &'static str = "the id of an event";

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok().map(Self)
    }
}

fields! {
    /// The body of a request to resend one event.
    struct ResendFields {
        present event: EventId,
    }
}

fields! {
    /// The body of a request to replay events.
    struct ReplayFields {
        present since: OffsetDateTime,
    }
}

impl NewEndpoint {
    /// Parses the body of a request, with every error in one answer.
    pub fn parse(body: &[u8], private: PrivateAddresses) -> Result<Self, BodyError> {
        let (change, mut errors) = read(body::text(body)?, private)?;
        if change.state != Patch::Keep || errors.concern("state") {
            errors.add(
                "state",
                "cannot be sent with a new webhook, which is active; change it then",
            );
        }
        if change.url == Patch::Keep && !errors.concern("url") {
            errors.add_as(Rule::Missing, "url", "is required");
        }
        match change.url {
            Patch::Set(url) if errors.is_empty() => Ok(Self {
                url,
                names: change.names.into_value(),
                include_posting: change.include_posting == Patch::Set(true),
                description: change.description.into_value(),
            }),
            _ => Err(BodyError::Invalid(errors)),
        }
    }
}

impl From<NewEndpoint> for EndpointChange {
    /// The change that makes an endpoint like a new one, its state aside.
    fn from(new: NewEndpoint) -> Self {
        Self {
            url: Patch::Set(new.url),
            names: new.names.map_or(Patch::Clear, Patch::Set),
            include_posting: Patch::Set(new.include_posting),
            description: new.description.map_or(Patch::Clear, Patch::Set),
            state: Patch::Keep,
        }
    }
}

impl EndpointChange {
    /// Parses the body of a request, with every error in one answer.
    pub fn parse(body: &[u8], private: PrivateAddresses) -> Result<Self, BodyError> {
        let (change, errors) = read(body::text(body)?, private)?;
        if errors.is_empty() {
            Ok(change)
        } else {
            Err(BodyError::Invalid(errors))
        }
    }
}

/// Parses the body of a request to replay events: the time from which on they are delivered again.
pub fn parse_replay(body: &[u8]) -> Result<OffsetDateTime, BodyError> {
    let (fields, mut errors) = body::parse::<ReplayFields>(body::text(body)?)?;
    refuse_unknown::<ReplayFields>(&mut errors);
    match fields.since {
        Patch::Set(since) if errors.is_empty() => Ok(since),
        _ => Err(BodyError::Invalid(errors)),
    }
}

/// Parses the body of a request to resend one event.
pub fn parse_resend(body: &[u8]) -> Result<Cursor, BodyError> {
    let (fields, mut errors) = body::parse::<ResendFields>(body::text(body)?)?;
    refuse_unknown::<ResendFields>(&mut errors);
    match fields.event {
        Patch::Set(EventId(event)) if errors.is_empty() => Ok(event),
        _ => Err(BodyError::Invalid(errors)),
    }
}

/// Reads the change that a body asks for, and all errors in it.
fn read(text: &str, private: PrivateAddresses) -> Result<(EndpointChange, FieldErrors), BodyError> {
    let (fields, mut errors) = body::parse::<EndpointFields>(text)?;
    refuse_unknown::<EndpointFields>(&mut errors);
    let is_none = |types: &Vec<_>| types.is_empty();
    if fields.types.value().is_some_and(is_none) && !errors.concern("types") {
        errors.add(
            "types",
            "must name an event at least, or be null for all events",
        );
    }
    let url = fields.url.and_then(|text| {
        let url = EndpointUrl::parse(&text, private);
        url.map_err(|error| errors.add("url", error.to_string()))
            .ok()
    });
    let change = EndpointChange {
        url,
        names: fields
            .types
            .and_then(|types| Some(PublicEvent::names(types))),
        include_posting: fields.include_posting,
        description: fields.description,
        state: fields.state,
    };
    Ok((change, errors))
}

#[cfg(test)]
mod tests {
    use domain::posting::event::{COMPANY_UPDATED, JOB_POSTING_CREATED};

    use super::*;

    const REFUSE: PrivateAddresses = PrivateAddresses::Refuse;

    fn create(body: &str) -> Result<NewEndpoint, BodyError> {
        NewEndpoint::parse(body.as_bytes(), REFUSE)
    }

    fn change(body: &str) -> Result<EndpointChange, BodyError> {
        EndpointChange::parse(body.as_bytes(), REFUSE)
    }

    fn fields<T: std::fmt::Debug>(result: Result<T, BodyError>) -> Vec<String> {
        match result {
            Err(BodyError::Invalid(errors)) => {
                let all = errors.iter();
                all.flat_map(|(field, all)| all.iter().map(move |error| format!("{field} {error}")))
                    .collect()
            }
            other => panic!("{other:?}"),
        }
    }

    /// However an owner sends it: as a body, a form or options of a command.
    #[test]
    fn a_list_of_events_has_each_once_in_its_order() {
        let listed = ["CompanyUpdated", " JobPostingCreated ", "CompanyUpdated"];
        let listed = listed.map(|name| name.parse().unwrap());
        let names = [COMPANY_UPDATED, JOB_POSTING_CREATED];
        assert_eq!(PublicEvent::names(listed.to_vec()), names);
        let unknown = "X".parse::<PublicEvent>().unwrap_err();
        assert!(
            unknown.starts_with("\"X\" is not one of JobPostingCreated, "),
            "{unknown}"
        );
    }

    #[test]
    fn an_endpoint_has_an_address_and_defaults() {
        let plain = NewEndpoint {
            url: EndpointUrl::from_store("https://acme.example/").unwrap(),
            names: None,
            include_posting: false,
            description: None,
        };
        let full = NewEndpoint {
            names: Some(vec![COMPANY_UPDATED, JOB_POSTING_CREATED]),
            include_posting: true,
            description: Some("Ours".to_owned()),
            ..plain.clone()
        };
        for (body, expect) in [
            (r#"{"url":" https://acme.example "}"#, &plain),
            (
                r#"{"url":"https://acme.example/","types":null,"include_posting":null}"#,
                &plain,
            ),
            (
                r#"{"url":"https://acme.example", "types":["CompanyUpdated","JobPostingCreated",
                    "CompanyUpdated"], "include_posting":true, "description":" Ours "}"#,
                &full,
            ),
        ] {
            assert_eq!(create(body).as_ref(), Ok(expect), "{body}");
        }
    }

    #[test]
    fn a_change_has_only_what_is_sent() {
        let all = EndpointChange {
            url: Patch::Set(EndpointUrl::from_store("https://b.example/").unwrap()),
            names: Patch::Clear,
            include_posting: Patch::Clear,
            description: Patch::Clear,
            state: Patch::Set(WantedState::Paused),
        };
        let some = EndpointChange {
            names: Patch::Set(vec![COMPANY_UPDATED]),
            include_posting: Patch::Set(false),
            ..EndpointChange::default()
        };
        for (body, expect) in [
            ("{}", EndpointChange::default()),
            (
                r#"{"url":"https://b.example/","types":null,"include_posting":null,
                    "description":" ","state":"paused"}"#,
                all,
            ),
            (
                r#"{"types":["CompanyUpdated"],"include_posting":false}"#,
                some,
            ),
        ] {
            assert_eq!(change(body), Ok(expect), "{body}");
        }
    }

    #[test]
    fn all_errors_are_in_one_answer() {
        let types = format!("one of {}", PUBLIC.map(|name| name.to_string()).join(", "));
        let long = "ü".repeat(LONGEST_DESCRIPTION + 1);
        let body = format!(
            r#"{{"url":"http://a.example","types":["Created","CompanyUpdated",null,1],
                "include_posting":"yes","description":"{long}","state":"disabled","x":"\u0000"}}"#
        );
        let state = "state must be one of active, paused, not \"disabled\"";
        let expect = [
            &format!("types.0 must be {types}, not \"Created\"; is \"JobPostingCreated\" meant?"),
            "types.2 must not be null or blank",
            "types.3 must be a string, not a number",
            "include_posting must be true or false, not a string",
            "description must be at most 255 characters long, and has 256",
            state,
            "x must not contain the character U+0000",
            "x is not a known field",
            "url must be an https URL, as plain http can be read and changed on its way",
        ];
        assert_eq!(fields(change(&body)), expect);
        let new = "state cannot be sent with a new webhook, which is active; change it then";
        let mut created = fields(create(&body));
        assert_eq!(created.remove(6), new);
        assert_eq!(created, expect);
    }

    /// The error names the intended member, also for a name that other services use.
    #[test]
    fn members_that_a_body_does_not_have_are_refused() {
        let unknown =
            |name, nearest| format!("{name} is not a known field; the nearest one is {nearest}");
        for (sent, nearest) in [
            ("events", "types"),
            ("event_types", "types"),
            ("eventTypes", "types"),
            ("type", "types"),
            ("callback_url", "url"),
            ("includePosting", "include_posting"),
            ("include_postings", "include_posting"),
            ("descripton", "description"),
            ("status", "state"),
        ] {
            let body = format!(r#"{{"url":"https://acme.example/","{sent}":["X"]}}"#);
            let expect = [unknown(sent, nearest)];
            assert_eq!(fields(create(&body)), expect);
            assert_eq!(fields(change(&body)), expect);
        }
        let xyzzy = "xyzzy is not a known field";
        assert_eq!(fields(change(r#"{"xyzzy":1}"#)), [xyzzy]);
        let until = r#"{"since":"2026-03-01T12:00:00Z","xyzzy":1}"#;
        assert_eq!(fields(parse_replay(until.as_bytes())), [xyzzy]);
        let event = format!(r#"{{"event":"{}","xyzzy":1}}"#, Cursor::START);
        assert_eq!(fields(parse_resend(event.as_bytes())), [xyzzy]);
        let active = r#"{"url":"https://acme.example/","state":"active"}"#;
        let state = "state cannot be sent with a new webhook, which is active; change it then";
        assert_eq!(fields(create(active)), [state]);
        assert!(change(active).is_ok());
    }

    #[test]
    fn an_events_name_is_told_by_what_was_written() {
        for (text, expect) in [
            ("jobPostingApproved", Some("JobPostingApproved")),
            ("job_posting.approved", Some("JobPostingApproved")),
            ("posting.approved", Some("JobPostingApproved")),
            ("job-expired", Some("JobPostingExpired")),
            ("Created", Some("JobPostingCreated")),
            ("JobPostingAproved", Some("JobPostingApproved")),
            ("company.updated", Some("CompanyUpdated")),
            ("x", None),
        ] {
            assert_eq!(PublicEvent::likely(text), expect, "{text}");
            let meant = expect.map(|name| format!("; is \"{name}\" meant?"));
            let meant = meant.unwrap_or_default();
            let refused = fields(change(&format!(r#"{{"types":["{text}"]}}"#))).remove(0);
            assert!(
                refused.ends_with(&format!("not \"{text}\"{meant}")),
                "{refused}"
            );
            let refused = text.parse::<PublicEvent>().unwrap_err();
            assert!(
                refused.ends_with(&format!("CompanyUpdated{meant}")),
                "{refused}"
            );
        }
    }

    #[test]
    fn a_body_lacks_nothing_that_it_needs() {
        let blank = "url must not be null or blank";
        let since = "since must be a time in RFC 3339, like 2026-12-31T12:00:00Z, not \"now\"";
        for (found, expect) in [
            (fields(create("{}")), "url is required"),
            (fields(create(r#"{"url":null}"#)), blank),
            (fields(create(r#"{"url":" "}"#)), blank),
            (fields(change(r#"{"url":null}"#)), blank),
            (
                fields(change(r#"{"state":null}"#)),
                "state must not be null or blank",
            ),
            (
                fields(change(r#"{"types":[]}"#)),
                "types must name an event at least, or be null for all events",
            ),
            (fields(change("[]")), "body must be a JSON object"),
            (fields(parse_replay(b"{}")), "since is required"),
            (fields(parse_replay(br#"{"since":"now"}"#)), since),
            (fields(parse_resend(b"{}")), "event is required"),
        ] {
            assert_eq!(found, [expect]);
        }
        assert!(matches!(change("{"), Err(BodyError::NotJson(_))));
        let since = parse_replay(br#"{"since":"2026-03-01T12:00:00Z"}"#);
        assert_eq!(since, Ok(time::macros::datetime!(2026-03-01 12:00 UTC)));
    }
}
