//! Endpoints: receivers of events, as their owners registered them.

use access::{Client, Scope};
use domain::posting::event::PUBLIC;
use kernel::{
    ClientId, Prefixes, Version,
    event::{Event, EventName},
    field::Patch,
    vocabulary,
};
use time::{Duration, OffsetDateTime};

use super::{CLIENT_REVOKED, EndpointChange, EndpointUrl, SCOPE_WITHDRAWN, Secret, WantedState};

/// The most endpoints of one owner.
pub const MOST_ENDPOINTS: usize = 50;

/// The time for which a replaced secret signs beside the new one.
pub const SECRET_OVERLAP: Duration = Duration::hours(24);

kernel::id::id! {
    /// An endpoint's id, a UUIDv7 drawn by the creator of the command: ids sort by age.
    EndpointId
}

/// The owner of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// A client, which manages it by the API.
    Client(ClientId),
    /// The operators.
    Operator,
}

vocabulary! {
    /// Whether events are delivered to an endpoint.
    EndpointState {
        /// They are.
        Active = "active",
        /// They wait, because the owner wants it so.
        Paused = "paused",
        /// They wait for the owner, because deliveries failed for too long or the receiver wants
        /// no more.
        Disabled = "disabled",
    }
}

/// A receiver of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// The id.
    pub id: EndpointId,
    /// Counts the changes by its owner, its disabling, and events that are sent again.
    pub version: Version,
    /// The owner.
    pub owner: Owner,
    /// The receiver's address.
    pub url: EndpointUrl,
    /// The names of the wanted events; `None` for all that are [`PUBLIC`], later ones too.
    pub names: Option<Vec<EventName>>,
    /// The postings whose events an operator's endpoint gets. A client's endpoint gets those that
    /// the client may read at the time.
    pub prefixes: Prefixes,
    /// Whether events of a posting carry the posting as it is when they are delivered.
    pub include_posting: bool,
    /// The owner's description.
    pub description: Option<String>,
    /// Whether events are delivered.
    pub state: EndpointState,
    /// Why it is disabled.
    pub state_reason: Option<String>,
    /// The secret that signs deliveries.
    pub secret: Secret,
    /// The secret before, which signs beside it for a while.
    pub previous_secret: Option<PreviousSecret>,
    /// When it was registered.
    pub created_at: OffsetDateTime,
    /// When its version was written.
    pub updated_at: OffsetDateTime,
}

/// A secret that was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviousSecret {
    /// The secret.
    pub secret: Secret,
    /// The end of its time.
    pub until: OffsetDateTime,
}

/// A change of an endpoint to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointWrite {
    /// The version that the endpoint must have in the store.
    pub expected: Version,
    /// The endpoint afterwards, with its next version.
    pub endpoint: Endpoint,
    /// Whether earlier failures no longer count, because the address is another or the owner
    /// resumes deliveries: its health is that of a new endpoint, and failed events are due.
    pub starts_over: bool,
}

impl Endpoint {
    /// The names of the wanted events.
    pub fn names(&self) -> &[EventName] {
        static ALL: &[EventName] = &PUBLIC;
        self.names.as_deref().unwrap_or(ALL)
    }

    /// Whether it is told about an event. Events of companies are for everybody.
    pub fn wants(&self, event: &Event) -> bool {
        self.names().contains(&event.name) && event.is_within(&self.prefixes)
    }

    /// The endpoint with what its owner may read now, or the reason why it gets no deliveries.
    pub fn of_owner(mut self, owner: Option<&Client>) -> Result<Self, &'static str> {
        if self.owner == Owner::Operator {
            return Ok(self);
        }
        let client = owner.filter(|client| client.is_active());
        let client = client.ok_or(CLIENT_REVOKED)?;
        if !client.scopes.contains(&Scope::WebhooksManage) {
            return Err(SCOPE_WITHDRAWN);
        }
        self.prefixes.clone_from(&client.prefixes);
        Ok(self)
    }

    /// The secrets that sign a delivery at this time, the newest first.
    pub fn secrets(&self, now: OffsetDateTime) -> Vec<Secret> {
        let previous = self.previous_secret.as_ref();
        let previous = previous.filter(|previous| now < previous.until);
        let previous = previous.map(|previous| &previous.secret);
        [&self.secret]
            .into_iter()
            .chain(previous)
            .cloned()
            .collect()
    }

    /// Replaces the secret. The one before the replaced one ends at once.
    pub fn rotate(&self, new: Secret, now: OffsetDateTime) -> EndpointWrite {
        self.changed(now, |endpoint| {
            let secret = std::mem::replace(&mut endpoint.secret, new);
            let until = now + SECRET_OVERLAP;
            endpoint.previous_secret = Some(PreviousSecret { secret, until });
        })
    }

    /// Applies an owner's change; `None` if everything is as wanted already.
    pub fn apply(&self, change: &EndpointChange, now: OffsetDateTime) -> Option<EndpointWrite> {
        let mut write = self.changed(now, |endpoint| {
            change.url.apply_required(&mut endpoint.url);
            change.names.apply(&mut endpoint.names);
            change.description.apply(&mut endpoint.description);
            match change.include_posting {
                Patch::Keep => {}
                Patch::Clear => endpoint.include_posting = false,
                Patch::Set(include) => endpoint.include_posting = include,
            }
            match change.state {
                Patch::Set(WantedState::Active) => endpoint.set(EndpointState::Active, None),
                Patch::Set(WantedState::Paused) => endpoint.set(EndpointState::Paused, None),
                Patch::Keep | Patch::Clear => {}
            }
        });
        let after = &write.endpoint;
        let resumes = after.state == EndpointState::Active && self.state != EndpointState::Active;
        write.starts_over = resumes || after.url != self.url;
        let unchanged = Self {
            version: self.version,
            updated_at: self.updated_at,
            ..after.clone()
        };
        (unchanged != *self).then_some(write)
    }

    /// Stops deliveries until the owner resumes them. A store calls it for the result of a round.
    pub fn disable(&self, reason: &str, now: OffsetDateTime) -> Self {
        let change = |endpoint: &mut Self| {
            endpoint.set(EndpointState::Disabled, Some(reason.to_owned()));
        };
        self.changed(now, change).endpoint
    }

    fn set(&mut self, state: EndpointState, reason: Option<String>) {
        self.state = state;
        self.state_reason = reason;
    }

    /// The next version, with a change.
    fn changed(&self, now: OffsetDateTime, change: impl FnOnce(&mut Self)) -> EndpointWrite {
        let mut endpoint = self.clone();
        change(&mut endpoint);
        endpoint.version += 1;
        endpoint.updated_at = now;
        EndpointWrite {
            expected: self.version,
            endpoint,
            starts_over: false,
        }
    }
}

#[cfg(test)]
mod tests {
    use access::testing::client;
    use domain::{
        posting::event::{COMPANY_UPDATED, JOB_POSTING_CREATED, JOB_POSTING_EXPIRED},
        testing::posting,
    };
    use kernel::{
        CompanyId, Website,
        event::{CompanyState, PostingState, Subject},
        testing::{hours, identifier, noon, uuid},
    };

    use super::*;
    use crate::testing::endpoint;

    fn of_posting(name: EventName, source: &str) -> Event {
        let mut posting = posting(1, CompanyId::new(uuid(9)));
        posting.source_identifier = identifier(source);
        Event {
            name,
            subject: Subject::Posting(PostingState::from(&posting)),
            at: noon(),
            trace: None,
        }
    }

    fn other(name: EventName) -> Event {
        Event {
            name,
            subject: Subject::Other(uuid(1)),
            at: noon(),
            trace: None,
        }
    }

    #[test]
    fn an_endpoint_wants_public_events_of_its_names_and_prefixes() {
        const HIDDEN: EventName = EventName::new("Hidden");
        let all = endpoint(1);
        for name in PUBLIC {
            assert!(all.wants(&of_posting(name, "a")));
        }
        assert!(!all.wants(&of_posting(HIDDEN, "a")));
        assert!(!all.wants(&other(JOB_POSTING_CREATED)));
        let some = Endpoint {
            names: Some(vec![JOB_POSTING_CREATED, COMPANY_UPDATED]),
            prefixes: Prefixes::new(&["acme-", "ü"]).unwrap(),
            ..all
        };
        for (name, source, expect) in [
            (JOB_POSTING_CREATED, "acme-1", true),
            (JOB_POSTING_CREATED, "acme-", true),
            (JOB_POSTING_CREATED, "ü1", true),
            (JOB_POSTING_CREATED, "acme", false),
            (JOB_POSTING_CREATED, "Acme-1", false),
            (JOB_POSTING_CREATED, "1-acme-", false),
            (JOB_POSTING_EXPIRED, "acme-1", false),
        ] {
            let event = of_posting(name, source);
            assert_eq!(some.wants(&event), expect, "{source}");
        }
        let website = Website::parse("https://acme.example").unwrap();
        let company = CompanyState {
            id: CompanyId::of(&website),
            name: "Acme".to_owned(),
            website,
            logo_path: None,
            updated_by: None,
        };
        let of_company = |name| Event {
            subject: Subject::Company(company.clone()),
            ..other(name)
        };
        assert!(some.wants(&of_company(COMPANY_UPDATED)));
        assert!(!some.wants(&of_company(JOB_POSTING_EXPIRED)));
    }

    #[test]
    fn a_clients_endpoint_gets_what_the_client_may_read() {
        let mut client = client(1);
        client.prefixes = Prefixes::new(&["acme-"]).unwrap();
        let mut of_client = endpoint(1);
        of_client.owner = Owner::Client(client.id);
        let of = |client: Option<&Client>| of_client.clone().of_owner(client);
        assert_eq!(of(Some(&client)), Err(SCOPE_WITHDRAWN));
        client.scopes.push(Scope::WebhooksManage);
        assert_eq!(of(Some(&client)).unwrap().prefixes, client.prefixes);
        let revoked = client.revoke(noon()).unwrap().client;
        assert_eq!(of(Some(&revoked)), Err(CLIENT_REVOKED));
        assert_eq!(of(None), Err(CLIENT_REVOKED));
        assert_eq!(endpoint(2).of_owner(None), Ok(endpoint(2)));
    }

    #[test]
    fn a_replaced_secret_signs_for_a_day_beside_the_new_one() {
        let [first, second, third] = [1, 2, 3].map(|n| Secret::new([n; 32]).unwrap());
        let endpoint = Endpoint {
            secret: first.clone(),
            ..endpoint(1)
        };
        assert_eq!(endpoint.secrets(noon()), std::slice::from_ref(&first));
        let write = endpoint.rotate(second.clone(), noon());
        assert_eq!((write.expected, write.endpoint.version), (1, 2));
        assert!(!write.starts_over);
        let rotated = write.endpoint;
        let both = [second.clone(), first];
        for (at, expect) in [
            (noon(), &both[..]),
            (noon() + SECRET_OVERLAP - Duration::SECOND, &both[..]),
            (noon() + SECRET_OVERLAP, &both[..1]),
        ] {
            assert_eq!(rotated.secrets(at), expect);
        }
        let again = rotated.rotate(third.clone(), noon() + hours(1)).endpoint;
        assert_eq!(again.secrets(noon() + hours(1)), [third, second]);
    }

    fn asks(state: WantedState) -> EndpointChange {
        EndpointChange {
            state: Patch::Set(state),
            ..EndpointChange::default()
        }
    }

    #[test]
    fn an_owner_pauses_and_resumes_and_the_same_state_again_is_no_change() {
        let (active, later) = (endpoint(1), noon() + hours(1));
        assert_eq!(active.apply(&EndpointChange::default(), later), None);
        assert_eq!(active.apply(&asks(WantedState::Active), later), None);
        let paused = active.apply(&asks(WantedState::Paused), later).unwrap();
        assert!(!paused.starts_over);
        assert_eq!(paused.endpoint.state, EndpointState::Paused);
        assert_eq!(paused.endpoint.updated_at, later);
        let resumed = paused.endpoint.apply(&asks(WantedState::Active), later);
        let resumed = resumed.unwrap();
        assert!(resumed.starts_over);
        assert_eq!(resumed.endpoint.state, EndpointState::Active);
        assert_eq!((resumed.expected, resumed.endpoint.version), (2, 3));
    }

    #[test]
    fn a_disabled_endpoint_is_resumed_or_paused() {
        let disabled = endpoint(1).disable("it said so", noon());
        assert_eq!(disabled.state, EndpointState::Disabled);
        assert_eq!(disabled.state_reason.as_deref(), Some("it said so"));
        assert_eq!(disabled.version, 2);
        for (wanted, state) in [
            (WantedState::Active, EndpointState::Active),
            (WantedState::Paused, EndpointState::Paused),
        ] {
            let write = disabled.apply(&asks(wanted), noon()).unwrap();
            assert_eq!(write.endpoint.state, state);
            assert_eq!(write.endpoint.state_reason, None);
            assert_eq!(write.starts_over, state == EndpointState::Active);
        }
    }

    #[test]
    fn a_new_url_clears_earlier_failures() {
        let url = EndpointUrl::from_store("https://other.example/").unwrap();
        let change = EndpointChange {
            url: Patch::Set(url.clone()),
            ..EndpointChange::default()
        };
        let write = endpoint(1).apply(&change, noon()).unwrap();
        assert!(write.starts_over);
        assert_eq!(write.endpoint.url, url);
        assert_eq!(write.endpoint.apply(&change, noon()), None);
        let described = EndpointChange {
            description: Patch::Set("Ours.".to_owned()),
            ..EndpointChange::default()
        };
        let write = endpoint(1).apply(&described, noon()).unwrap();
        assert!(!write.starts_over);
    }
}
