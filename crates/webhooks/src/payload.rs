//! Request bodies about endpoints, and the rules of their fields.

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
    /// The states that an owner may set.
    WantedState {
        /// Deliver events, including those that wait.
        Active = "active",
        /// Let events wait.
        Paused = "paused",
    }
}

/// An endpoint to register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewEndpoint {
    /// The receiver's address.
    pub url: EndpointUrl,
    /// The wanted events; `None` for all.
    pub names: Option<Vec<EventName>>,
    /// Whether events include the posting.
    pub include_posting: bool,
    /// The owner's description.
    pub description: Option<String>,
}

/// An owner's change of an endpoint.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EndpointChange {
    /// The address, which cannot be cleared.
    pub url: Patch<EndpointUrl>,
    /// The wanted events. Clearing them means all events.
    pub names: Patch<Vec<EventName>>,
    /// Whether events include the posting. Clearing it means no.
    pub include_posting: Patch<bool>,
    /// The description.
    pub description: Patch<String>,
    /// The state, which cannot be cleared.
    pub state: Patch<WantedState>,
}

/// The name of a public event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicEvent(pub EventName);

impl Term for PublicEvent {
    const EXPECTED: &'static str = "one of JobPostingCreated, JobPostingUpdated, \
        JobPostingApproved, JobPostingRejected, JobPostingExpired, JobPostingReopened, \
        JobPostingEnriched, JobPostingErased, CompanyUpdated, CompanyMerged, AttentionRaised, \
        AttentionCleared, ReportDecided";

    fn parse(text: &str) -> Option<Self> {
        let mut names = PUBLIC.into_iter();
        names.find(|name| name.as_str() == text).map(Self)
    }

    /// Recognises misspellings, different case or separators, and a missing `JobPosting`.
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
    /// The listed events in the order of the list, each once.
    pub fn names(listed: Vec<Self>) -> Vec<EventName> {
        unique(listed.into_iter().map(|Self(name)| name))
    }
}

fields! {
    struct EndpointFields {
        required url: String,
        optional types: Vec<PublicEvent>,
        optional include_posting: bool,
        #[garde(length(chars, max = LONGEST_DESCRIPTION))]
        optional description: String,
        required state: WantedState,
    }
}

/// The members of bodies, each with its names in other services.
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

/// Refuses unknown members of a `T`, because a misspelt member would change deliveries unnoticed.
fn refuse_unknown<T: FieldValue>(errors: &mut FieldErrors) {
    body::refuse_unknown_as(errors, |name| {
        let known = |(member, _): &Word| T::FIELDS.iter().any(|field| field.name == *member);
        let members: Vec<_> = MEMBERS.into_iter().filter(known).collect();
        suggest::word(name, &members).map(str::to_owned)
    });
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct EventId(Cursor);

impl Term for EventId {
    const EXPECTED: &'static str = "the id of an event";

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok().map(Self)
    }
}

fields! {
    struct ResendFields {
        present event: EventId,
    }
}

fields! {
    struct ReplayFields {
        present since: OffsetDateTime,
    }
}

impl NewEndpoint {
    /// Parses a body, and reports every error at once.
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
    /// The change that gives an endpoint all settings of a new endpoint, except the state.
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
    /// Parses a body, and reports every error at once.
    pub fn parse(body: &[u8], private: PrivateAddresses) -> Result<Self, BodyError> {
        let (change, errors) = read(body::text(body)?, private)?;
        if errors.is_empty() {
            Ok(change)
        } else {
            Err(BodyError::Invalid(errors))
        }
    }
}

/// Parses a replay request: the time from which events are redelivered.
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

fn read(text: &str, private: PrivateAddresses) -> Result<(EndpointChange, FieldErrors), BodyError> {
    let (fields, mut errors) = body::parse::<EndpointFields>(text)?;
    refuse_unknown::<EndpointFields>(&mut errors);
    let is_none = |types: &Vec<_>| types.is_empty();
    if fields.types.value().is_some_and(is_none) && !errors.concern("types") {
        errors.add(
            "types",
            "must name at least one event, or be null for all events",
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
mod tests;
