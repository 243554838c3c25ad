//! The bodies of requests about endpoints, and the rules that each field holds.

use std::str::FromStr;

use domain::posting::event::PUBLIC;
use kernel::{
    body::{self, BodyError},
    event::{Cursor, EventName},
    field::{Patch, Sent, Term},
    fields,
    validation::{ErrorKind, FieldErrors},
    vocabulary::vocabulary,
};
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
}

impl FromStr for PublicEvent {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::parse(text.trim()).ok_or_else(|| format!("{text:?} is not {}", Self::EXPECTED))
    }
}

impl PublicEvent {
    /// The names of the events that an owner lists, each once, in the order of the list.
    pub fn names(listed: Vec<Self>) -> Vec<EventName> {
        let mut names = Vec::with_capacity(listed.len());
        for Self(name) in listed {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
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
    }
}

fields! {
    /// What the body of a change may have besides.
    struct StateField {
        required state: WantedState,
    }
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
        let (change, mut errors) = read(body::text(body)?, private, FieldErrors::new())?;
        if change.url == Patch::Keep && !errors.concern("url") {
            errors.add_as(ErrorKind::Missing, "url", "is required");
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
        let text = body::text(body)?;
        let (StateField { state }, errors) = body::read::<Sent<StateField>>(text)?.checked();
        let (change, errors) = read(text, private, errors)?;
        if errors.is_empty() {
            Ok(Self { state, ..change })
        } else {
            Err(BodyError::Invalid(errors))
        }
    }
}

/// Parses the body of a request to replay events: the time from which on they are delivered again.
pub fn parse_replay(body: &[u8]) -> Result<OffsetDateTime, BodyError> {
    let (fields, errors) = body::parse::<ReplayFields>(body::text(body)?)?;
    match fields.since {
        Patch::Set(since) if errors.is_empty() => Ok(since),
        _ => Err(BodyError::Invalid(errors)),
    }
}

/// Parses the body of a request to resend one event.
pub fn parse_resend(body: &[u8]) -> Result<Cursor, BodyError> {
    let (fields, errors) = body::parse::<ResendFields>(body::text(body)?)?;
    match fields.event {
        Patch::Set(EventId(event)) if errors.is_empty() => Ok(event),
        _ => Err(BodyError::Invalid(errors)),
    }
}

/// The change that a body asks for, its state aside, and what is wrong with it besides `errors`.
fn read(
    text: &str,
    private: PrivateAddresses,
    mut errors: FieldErrors,
) -> Result<(EndpointChange, FieldErrors), BodyError> {
    let (fields, own) = body::read::<Sent<EndpointFields>>(text)?.checked();
    errors.merge(own);
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
    body::refuse_nul(text, &[], &mut errors);
    let change = EndpointChange {
        url,
        names: fields
            .types
            .and_then(|types| Some(PublicEvent::names(types))),
        include_posting: fields.include_posting,
        description: fields.description,
        state: Patch::Keep,
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
            (
                r#"{"url":" https://acme.example ","state":9,"more":1}"#,
                &plain,
            ),
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
        let expect = [
            format!("types.0 must be {types}, not \"Created\""),
            "types.2 must not be null or blank".to_owned(),
            "types.3 must be a string, not a number".to_owned(),
            "include_posting must be true or false, not a string".to_owned(),
            "description must be at most 255 characters long, and has 256".to_owned(),
            "url must be an https URL, as plain http can be read and changed on its way".to_owned(),
            "x must not contain the character U+0000".to_owned(),
        ];
        assert_eq!(fields(create(&body)), expect);
        let state = ["state must be one of active, paused, not \"disabled\"".to_owned()];
        assert_eq!(fields(change(&body)), [&state[..], &expect].concat());
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
