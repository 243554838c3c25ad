//! The clients and the activity of the fixtures, and who wrote postings.

use std::num::NonZeroU32;

use access::{
    Activity, Client, Clients, Scope, StoredSecret,
    activity::{Counts, Day, Refusal},
};
use domain::{posting::Posting, testing::posting};
use kernel::testing::identifier;
use kernel::{
    Actor, ClientId, Prefixes,
    testing::{hours, noon, uuid},
    validation::FieldErrors,
};
use time::macros::{date, datetime};

use super::postings::{bare, comes_back};
use crate::testing::AllPorts;

/// A client with everything set, its activity, and a posting that names who wrote it.
pub(super) async fn come_back<S: AllPorts>(store: &S) {
    let client = Client {
        id: ClientId::new(uuid(0x203)),
        version: 4,
        name: "Many 'prefixes'".to_owned(),
        scopes: vec![Scope::JobPostingsRead, Scope::WebhooksManage],
        prefixes: Prefixes::new(&["acme-", "ü\"\\,%_"]).expect("they are prefixes"),
        requests_per_minute: NonZeroU32::new(u32::MAX),
        secrets: vec![
            StoredSecret::new([8; 32], noon() + hours(1)),
            StoredSecret {
                expires_at: Some(noon() + hours(2)),
                last_used_at: Some(noon() + hours(3)),
                ..StoredSecret::new([9; 32], noon())
            },
        ],
        tokens_from: None,
        created_at: noon(),
        revoked_at: Some(noon() + hours(4)),
    };
    let id = client.id;
    assert_eq!(Clients::find(store, id).await, Ok(Some(client)));

    let errors = FieldErrors::one("title", "is 'bad'");
    let refusal = |n, errors| {
        let at = noon() + hours(1);
        Refusal::new(uuid(n), at, "jöb/1", 422, "It's wrong.", errors)
    };
    let activity = Activity {
        last_push_at: Some(noon() + hours(1)),
        days: vec![Day {
            date: date!(2026 - 03 - 01),
            counts: Counts {
                created: 1,
                updated: 2,
                unchanged: 3_000_000_000,
                expired: 4,
                reopened: 5,
                refused: 6,
                approved: 7,
                rejected: 8,
            },
        }],
        refusals: vec![refusal(0x602, Some(&errors)), refusal(0x601, None)],
    };
    assert_eq!(store.activity(id).await, Ok(activity));

    let mut view = bare();
    view.posting = Posting {
        source_identifier: identifier("written"),
        created_by: Some(Actor::Client(id)),
        updated_by: Some(Actor::Operator(None)),
        ..posting(0x105, view.company.company.id)
    };
    view.history.clear();
    comes_back(store, &view).await;
}

/// A client whose tokens were ended.
pub(super) async fn ended_tokens_come_back<S: Clients>(store: &S) {
    let found = Clients::find(store, ClientId::new(uuid(0x204))).await;
    let client = found.expect("the store works").expect("it is there");
    let ended = datetime!(2026-03-01 13:00:01 UTC);
    assert_eq!(client.tokens_from, Some(ended));
}
