//! Endpoints: registered receivers of events.

use access::{Client, Scope};
use domain::posting::event::{PUBLIC, REPORT_DECIDED};
use fields::{Patch, vocabulary};
use kernel::{
    ClientId, Prefixes, Version,
    event::{Event, EventName},
};
use time::{Duration, OffsetDateTime};

use super::{CLIENT_REVOKED, EndpointChange, EndpointUrl, SCOPE_WITHDRAWN, Secret, WantedState};

/// The largest number of endpoints per owner.
pub const MOST_ENDPOINTS: usize = 50;

/// How long a replaced secret signs deliveries together with the new one.
pub const SECRET_OVERLAP: Duration = Duration::hours(24);

kernel::id::id! {
    /// An endpoint's id: a UUIDv7, so ids sort by age.
    EndpointId
}

/// The owner of an endpoint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Owner {
    /// A client manages the endpoint by the API.
    Client(ClientId),
    /// The operators own the endpoint.
    Operator,
}

impl Owner {
    /// The client, if a client is the owner.
    pub const fn client(self) -> Option<ClientId> {
        match self {
            Self::Client(client) => Some(client),
            Self::Operator => None,
        }
    }
}

vocabulary! {
    /// Whether events are delivered to an endpoint.
    EndpointState {
        /// Events are delivered.
        Active = "active",
        /// Events wait because the owner paused the endpoint.
        Paused = "paused",
        /// Events wait: deliveries failed for too long, the receiver answered 410, or the owner
        /// lost access.
        Disabled = "disabled",
    }
}

/// A receiver of events.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Endpoint {
    /// The id.
    pub id: EndpointId,
    /// Increases with each change by the owner, each disabling, and each resent event.
    pub version: Version,
    /// The owner.
    pub owner: Owner,
    /// The receiver's address.
    pub url: EndpointUrl,
    /// The wanted events. `None` means all [`PUBLIC`] events, even future ones; see
    /// [`Self::of_owner`].
    pub names: Option<Vec<EventName>>,
    /// The postings whose events an operator's endpoint gets. A client's endpoint follows the
    /// client's current prefixes.
    pub prefixes: Prefixes,
    /// Whether events include the posting as it is at delivery.
    pub include_posting: bool,
    /// The owner's description.
    pub description: Option<String>,
    /// Whether events are delivered.
    pub state: EndpointState,
    /// Why the endpoint is disabled.
    pub state_reason: Option<String>,
    /// The secret that signs deliveries.
    pub secret: Secret,
    /// The replaced secret, which still signs until its end.
    pub previous_secret: Option<PreviousSecret>,
    /// When the endpoint was registered.
    pub created_at: OffsetDateTime,
    /// When the current version was written.
    pub updated_at: OffsetDateTime,
}

/// A secret that was replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PreviousSecret {
    /// The secret.
    pub secret: Secret,
    /// When the secret stops signing.
    pub until: OffsetDateTime,
}

/// A changed endpoint to write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EndpointWrite {
    /// The expected stored version.
    pub expected: Version,
    /// The changed endpoint, with its next version.
    pub endpoint: Endpoint,
    /// Whether earlier failures no longer count because the address changed or the owner resumed
    /// deliveries. The health is then reset, and all waiting events are due.
    pub starts_over: bool,
}

impl Endpoint {
    /// The names of the wanted events.
    pub fn names(&self) -> &[EventName] {
        static ALL: &[EventName] = &PUBLIC;
        self.names.as_deref().unwrap_or(ALL)
    }

    /// Whether the endpoint receives an event. Prefixes do not limit company events.
    pub fn wants(&self, event: &Event) -> bool {
        self.names().contains(&event.name) && event.is_for(self.owner.client(), &self.prefixes)
    }

    /// Limits the endpoint to what its owner may read now, or returns why it gets no deliveries.
    pub fn of_owner(mut self, owner: Option<&Client>) -> Result<Self, &'static str> {
        if self.owner == Owner::Operator {
            // The receiver may belong to a third party, so the endpoint must list the reports'
            // event.
            let is_named = self.names.is_some();
            return Ok(self.with_reports_if(is_named));
        }
        let client = owner.filter(|client| client.is_active());
        let client = client.ok_or(CLIENT_REVOKED)?;
        if !client.scopes.contains(&Scope::WebhooksManage) {
            return Err(SCOPE_WITHDRAWN);
        }
        self.prefixes.clone_from(&client.prefixes);
        let may_report = client.may(Scope::REPORTERS);
        Ok(self.with_reports_if(may_report))
    }

    /// Removes readers' reports from the wanted events, unless permitted.
    fn with_reports_if(mut self, may: bool) -> Self {
        if !may && self.names().contains(&REPORT_DECIDED) {
            let names = self.names().iter().filter(|name| **name != REPORT_DECIDED);
            self.names = Some(names.cloned().collect());
        }
        self
    }

    pub(crate) fn shows(&self, event: &Event) -> bool {
        let is_told = event.name != REPORT_DECIDED || self.names().contains(&event.name);
        is_told && event.is_for(self.owner.client(), &self.prefixes)
    }

    /// The secrets that sign at this time, newest first.
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

    /// Replaces the secret. A secret that was already replaced before stops signing at once.
    pub fn rotate(&self, new: Secret, now: OffsetDateTime) -> EndpointWrite {
        self.changed(now, |endpoint| {
            let secret = std::mem::replace(&mut endpoint.secret, new);
            let until = now + SECRET_OVERLAP;
            endpoint.previous_secret = Some(PreviousSecret { secret, until });
        })
    }

    /// Applies an owner's change; `None` if nothing changes.
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

    /// Stops deliveries until the owner resumes them. Stores call it to record a round.
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
        testing::{company, company_state, posting},
    };
    use kernel::{
        CompanyId,
        event::{PostingState, Subject},
        testing::{hours, noon, uuid},
    };

    use super::*;
    use crate::testing::endpoint;

    #[test]
    fn an_endpoint_wants_public_events_of_its_names_and_prefixes() {
        let of_posting = || {
            let posting = posting(1, CompanyId::new(uuid(9)));
            Subject::Posting(PostingState::from(&posting))
        };
        let of_company = || Subject::Company(company_state(&company("acme")));
        let event = |name: &EventName, subject| Event {
            name: name.clone(),
            subject,
            at: noon(),
            trace: None,
        };
        let all = endpoint(1);
        for name in &PUBLIC {
            assert!(all.wants(&event(name, of_posting())));
        }
        assert!(!all.wants(&event(&EventName::new("Hidden"), of_posting())));
        let other = Subject::Other(uuid(1));
        assert!(!all.wants(&event(&JOB_POSTING_CREATED, other)));
        for (prefix, name, subject, expect) in [
            ("job-", JOB_POSTING_CREATED, of_posting(), true),
            ("Job-", JOB_POSTING_CREATED, of_posting(), false),
            ("job-", JOB_POSTING_EXPIRED, of_posting(), false),
            ("none", COMPANY_UPDATED, of_company(), true),
            ("none", JOB_POSTING_EXPIRED, of_company(), false),
        ] {
            let some = Endpoint {
                names: Some(vec![JOB_POSTING_CREATED, COMPANY_UPDATED]),
                prefixes: Prefixes::new(&[prefix]).unwrap(),
                ..endpoint(1)
            };
            assert_eq!(
                some.wants(&event(&name, subject)),
                expect,
                "{prefix} {name}"
            );
        }
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
        let gets_reports = |endpoint: &Endpoint| endpoint.names().contains(&REPORT_DECIDED);
        let narrowed = of(Some(&client)).unwrap();
        assert_eq!(narrowed.prefixes, client.prefixes);
        assert_eq!(
            (narrowed.names().len(), gets_reports(&narrowed)),
            (PUBLIC.len() - 1, false)
        );
        client.scopes.push(Scope::ReportsWrite);
        assert!(gets_reports(&of(Some(&client)).unwrap()));
        let revoked = client.revoke(noon()).unwrap().client;
        for nobody in [Some(&revoked), None] {
            assert_eq!(of(nobody), Err(CLIENT_REVOKED));
        }
        let of_operators = endpoint(2).of_owner(None).unwrap();
        assert!(!gets_reports(&of_operators));
        let named = Endpoint {
            names: Some(vec![REPORT_DECIDED]),
            ..endpoint(2)
        };
        assert_eq!(named.clone().of_owner(None), Ok(named));
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

    #[test]
    fn an_owner_changes_what_is_not_so_already() {
        use EndpointState::{Active, Paused};
        let state = |state| EndpointChange {
            state: Patch::Set(state),
            ..EndpointChange::default()
        };
        let moved = EndpointChange {
            url: Patch::Set(endpoint(2).url),
            ..EndpointChange::default()
        };
        let described = EndpointChange {
            description: Patch::Set("Ours.".to_owned()),
            ..EndpointChange::default()
        };
        let disabled = endpoint(1).disable("it said so", noon());
        assert_eq!(disabled.state, EndpointState::Disabled);
        assert_eq!(disabled.state_reason.as_deref(), Some("it said so"));
        assert_eq!(disabled.version, 2);
        for (mut before, changes) in [
            (
                endpoint(1),
                vec![
                    (EndpointChange::default(), None),
                    (state(WantedState::Active), None),
                    (state(WantedState::Paused), Some((Paused, false))),
                    (state(WantedState::Active), Some((Active, true))),
                    (moved.clone(), Some((Active, true))),
                    (moved, None),
                    (described, Some((Active, false))),
                ],
            ),
            (
                disabled.clone(),
                vec![(state(WantedState::Active), Some((Active, true)))],
            ),
            (
                disabled,
                vec![(state(WantedState::Paused), Some((Paused, false)))],
            ),
        ] {
            let later = noon() + hours(1);
            for (change, expect) in changes {
                let write = before.apply(&change, later);
                let after = write.as_ref().map(|it| (it.endpoint.state, it.starts_over));
                assert_eq!(after, expect, "{change:?}");
                if let Some(write) = write {
                    let after = write.endpoint;
                    assert_eq!(
                        (write.expected, after.version),
                        (before.version, before.version + 1)
                    );
                    assert_eq!((after.updated_at, &after.state_reason), (later, &None));
                    before = after;
                }
            }
            assert_eq!(before.apply(&EndpointChange::default(), later), None);
        }
    }
}
