//! The rules of subscribers: each row of the contract's tables is a test.

mod commands;
mod fields;
mod laws;
mod lists;
mod sync;

use kernel::{event::EventName, outbox::Effect};
use time::OffsetDateTime;

use super::{
    Account, Change, MigrationSource, Subscriber, SubscriberStatus, migration, notice,
    provider::{Fields, Found, ProviderId, ProviderStatus},
    report, sync as syncing,
    sync::Observation,
};
use crate::{
    store::WriteSet,
    tasks,
    testing::{self, hours, noon},
};

const ADDRESS: &str = "ann@example.com";

#[derive(Clone, Debug, Default, PartialEq)]
struct Written {
    subscribers: usize,
    events: Vec<EventName>,
    effects: Vec<Effect>,
}

impl Written {
    fn nothing() -> Self {
        Self::default()
    }

    fn sync(account: Account) -> Self {
        let id = testing::subscriber_id(ADDRESS);
        Self {
            effects: vec![tasks::sync(id, account)],
            ..Self::silent()
        }
    }

    fn bulk_sync() -> Self {
        let id = testing::subscriber_id(ADDRESS);
        Self {
            effects: vec![tasks::bulk_sync(id, Account::Old)],
            ..Self::silent()
        }
    }

    /// The same writes, with the event of an individual membership.
    fn with_event(self) -> Self {
        Self {
            events: vec![tasks::INDIVIDUAL_MEMBERSHIP_UPDATED],
            ..self
        }
    }

    fn silent() -> Self {
        Self {
            subscribers: 1,
            ..Self::default()
        }
    }
}

#[derive(Clone, Debug)]
struct Ann {
    known: Option<Subscriber>,
    now: OffsetDateTime,
}

impl Ann {
    fn new() -> Self {
        Self {
            known: None,
            now: noon(),
        }
    }

    /// A reported subscriber that is not synced.
    fn reported() -> Self {
        let mut ann = Self::new();
        ann.put("{}");
        ann
    }

    /// A subscriber reported with these bodies, and synced.
    fn after(bodies: &[&str]) -> Self {
        let mut ann = Self::new();
        for body in bodies {
            ann.put(body);
        }
        ann.sync();
        ann
    }

    fn get(&self) -> &Subscriber {
        self.known.as_ref().unwrap()
    }

    fn record(&mut self, change: Option<Change>) -> Written {
        let mut writes = WriteSet::new(self.now);
        if let Some(change) = change {
            let version = self.known.as_ref().map(|known| known.version);
            assert_eq!(change.expected, version);
            let after = change.record(&mut writes);
            assert_eq!(after.version, version.map_or(1, |version| version + 1));
            self.known = Some(after);
        }
        Written {
            subscribers: writes.subscribers.len(),
            events: writes
                .tasks
                .events
                .iter()
                .map(|event| event.name.clone())
                .collect(),
            // A suppression that has not reached the accounts requests a withdrawal each time.
            effects: writes
                .tasks
                .asked()
                .filter(|effect| effect.kind() != tasks::WITHDRAW.kind())
                .collect(),
        }
    }

    /// Whether the subscriber was new, and the writes.
    fn put(&mut self, body: &str) -> (bool, Written) {
        self.now += hours(1);
        let put = testing::report(ADDRESS, body);
        let decided = report(self.known.as_ref(), &put, self.now);
        (decided.is_new, self.record(decided.change))
    }

    fn notice(&mut self, status: SubscriberStatus) -> Written {
        self.now += hours(1);
        let said = testing::notice(ADDRESS, status);
        let change = notice(self.known.as_ref(), &said, self.now);
        self.record(change)
    }

    fn migrate(&mut self, source: MigrationSource) -> Written {
        self.now += hours(1);
        let change = migration::migrate(self.get(), source, self.now);
        self.record(change)
    }

    fn sync(&mut self) -> Written {
        self.now += hours(1);
        let state = self.get().provider_state();
        let observed = observed(SubscriberStatus::Active);
        let change = syncing::record(self.get(), &state, &observed, self.now);
        self.record(Some(change))
    }

    fn arrive(&mut self) -> Written {
        self.now += hours(1);
        let state = self.get().provider_state();
        let change = migration::arrive(self.get(), &state, self.now);
        self.record(change)
    }
}

fn found(status: impl Into<ProviderStatus>) -> Found {
    Found {
        id: ProviderId("31".to_owned()),
        status: status.into(),
        unsubscribed_at: None,
        is_deleted: false,
        fields: Fields::default(),
    }
}

fn observed(status: SubscriberStatus) -> Observation {
    Observation::Found(found(status))
}

#[test]
fn the_status_of_a_member_is_derived() {
    let rows = [
        ("{}", "non-member", "non-member"),
        (
            r#"{"membership":{"plan_category":"team","status":"active"}}"#,
            "team",
            "active-or-expired",
        ),
        (
            r#"{"membership":{"plan_category":"individual","status":"expired"}}"#,
            "individual",
            "active-or-expired",
        ),
        (
            r#"{"membership":{"plan_category":"individual","status":"canceled"}}"#,
            "individual",
            "canceled",
        ),
        (r#"{"membership":null}"#, "non-member", "non-member"),
    ];
    let mut ann = Ann::new();
    for (body, plan_category, status) in rows {
        ann.put(body);
        let fields = ann.get().profile().fields;
        let derived = (fields.membership_plan_category, fields.member_status);
        let expect = (plan_category.to_owned(), status.to_owned());
        assert_eq!(derived, (Some(expect.0), Some(expect.1)), "{body}");
    }
}

#[test]
fn a_token_does_not_show_itself() {
    let token = testing::token(ADDRESS);
    assert!(token.is_well_formed());
    assert_eq!(format!("{token:?}"), "MigrationToken(…)");
    let shown = format!("{:?}", testing::subscriber(ADDRESS));
    assert!(!shown.contains(token.reveal()), "{shown}");
}

#[test]
fn a_malformed_token_is_recognised() {
    use super::MigrationToken;

    let text = testing::token(ADDRESS).reveal().to_owned();
    for other in [
        "",
        &text[1..],
        &format!("{text}="),
        &"é".repeat(43),
        &"\0".repeat(43),
    ] {
        assert!(
            !MigrationToken::from_text(other).is_well_formed(),
            "{other}"
        );
    }
}
