use std::{
    collections::{BTreeMap, HashMap},
    num::NonZeroU32,
};

use fields::validation::FieldErrors;
use kernel::{
    ClientId, Prefixes, PutOutcome, StoreError,
    attention::{AttentionCheck, AttentionList, StoredAttention},
    audit::{Action, AuditLog},
    testing::{Absent, Checked, by_ann, entries, hours, noon, uuid},
};
use time::Duration;

use crate::{
    ActivityLog, Client, ClientChange, Clients, Scope,
    activity::{ActivityWrites, Counts, DAYS_KEPT, Day, REFUSALS_KEPT, Refusal, Tally},
    audit,
    testing::client,
};

async fn insert<S: Clients>(store: &S, n: u128) -> Checked {
    store.insert(&client(n), None).await?;
    Ok(())
}

async fn found<S: Clients>(store: &S, n: u128) -> Checked<Client> {
    let found = Clients::find(store, client(n).id).await;
    Ok(found?.ok_or(Absent)?)
}

fn refusal(n: u128) -> Refusal {
    let errors = FieldErrors::one("title", "is \"bad\"");
    let errors = (n % 2 == 1).then_some(&errors);
    let at = noon() + Duration::seconds(i64::try_from(n).unwrap_or_default());
    let refusal = Refusal::new(uuid(n), at, "jöb/1", 422, "It is wrong.", errors);
    if n.is_multiple_of(2) {
        return refusal;
    }
    Refusal {
        request_id: Some("request-1".to_owned()),
        count: 1 << 40,
        others: vec!["jöb/2".to_owned(), "\"".to_owned()],
        ..refusal
    }
}

kernel::contract_cases!(
    clients,
    impl ActivityLog + AttentionList + AuditLog + Clients,
    async fn visible_postings_are_kept_of_known_clients(store: &S) {
        insert(store, 1).await?;
        let check = AttentionCheck {
            visible: BTreeMap::from([(client(1).id, 2), (client(404).id, 7)]),
            ..AttentionCheck::new(&StoredAttention::default(), Vec::new(), noon())
        };
        store.record_check(&check).await?;
        assert_eq!(store.activity(client(1).id).await?.visible, 2);
        assert_eq!(store.activity(client(404).id).await?.visible, 0);
    },
    async fn a_client_comes_back(store: &S) {
        let prefixes = Prefixes::new(&["acme-", "ü\"\\,%_"])?;
        let limited = Client {
            prefixes,
            requests_per_minute: NonZeroU32::new(600),
            expect_every: Some(hours(26)),
            scopes: Scope::ALL.to_vec(),
            ..client(1)
        };
        let rotated = limited.rotate([8; 32], hours(24), noon() + hours(1));
        let limited = rotated.ending_tokens(noon()).client;
        store.insert(&limited, None).await?;
        assert_eq!(found(store, 1).await?, limited);
        insert(store, 2).await?;
        assert_eq!(found(store, 2).await?, client(2));
        let unknown = Clients::find(store, ClientId::new(uuid(404))).await;
        assert_eq!(unknown, Ok(None));
    },
    async fn clients_are_listed_oldest_first(store: &S) {
        for n in [3, 1, 2] {
            insert(store, n).await?;
        }
        let write = client(1).rotate([8; 32], hours(24), noon());
        store.update(&write, None).await?;
        let all = [write.client, client(2), client(3)];
        for limit in 0..5 {
            assert_eq!(Clients::list(store, limit).await?, all[..limit.min(3)]);
        }
    },
    async fn a_change_of_a_client_is_written_once(store: &S) {
        insert(store, 1).await?;
        insert(store, 2).await?;
        let change = ClientChange {
            name: Some("Other".to_owned()),
            scopes: Some(vec![Scope::WebhooksManage]),
            prefixes: Prefixes::new(&["b-"]).ok(),
            requests_per_minute: NonZeroU32::new(1).into(),
            expect_every: fields::Patch::Clear,
        };
        let write = client(1).apply(&change).ok_or(Absent)?;
        store.update(&write, None).await?;
        assert_eq!(found(store, 1).await?, write.client);
        assert_eq!(store.update(&write, None).await, Err(StoreError::Conflict));
        let revoked = write.client.revoke(noon()).ok_or(Absent)?;
        store.update(&revoked, None).await?;
        assert_eq!(found(store, 1).await?, revoked.client);
        assert_eq!(found(store, 2).await?, client(2));
        let asked = [1, 2, 404].map(|n| client(n).id);
        let versions = HashMap::from([(client(1).id, 3), (client(2).id, 1)]);
        assert_eq!(store.versions(&asked).await, Ok(versions));
        assert_eq!(store.versions(&[]).await, Ok(HashMap::new()));
    },
    async fn a_replaced_secret_ends_and_the_one_before_goes(store: &S) {
        insert(store, 1).await?;
        let mut write = client(1).rotate([8; 32], hours(24), noon());
        store.update(&write, None).await?;
        assert_eq!(found(store, 1).await?, write.client);
        write = write.client.rotate([9; 32], hours(24), noon() + hours(1));
        write = write.ending_tokens(noon() + hours(1));
        store.update(&write, None).await?;
        assert_eq!(found(store, 1).await?, write.client);
        let digests = found(store, 1).await?.secrets;
        let digests: Vec<_> = digests.iter().map(|secret| secret.digest[0]).collect();
        assert_eq!(digests, [9, 8]);
    },
    async fn a_command_about_a_client_is_in_the_audit(store: &S) {
        let entry =
            |n: u128, action: Action| by_ann(n).entry(action, noon() + Duration::seconds(1));
        let created = entry(1, audit::CLIENTS_CREATE);
        store.insert(&client(1), Some(&created)).await?;
        let write = client(1).revoke(noon()).ok_or(Absent)?;
        let revoked = entry(2, audit::CLIENTS_REVOKE);
        store.update(&write, Some(&revoked)).await?;
        let late = entry(3, audit::CLIENTS_REVOKE);
        let conflict = store.update(&write, Some(&late)).await;
        assert_eq!(conflict, Err(StoreError::Conflict));
        assert_eq!(entries(store).await?, [revoked, created]);
    },
    async fn activity_is_added_up(store: &S) {
        insert(store, 1).await?;
        insert(store, 2).await?;
        let (one, other) = (client(1).id, client(2).id);
        let (today, tomorrow) = (noon().date(), (noon() + hours(24)).date());
        let created = Counts {
            hours: 0b110,
            fields: Tally::of_bits(0b1001),
            ..Counts::one(PutOutcome::Created)
        };
        let many = Counts {
            created: 1,
            updated: 2,
            unchanged: 3,
            expired: 4,
            reopened: 5,
            refused: 6,
            approved: 7,
            rejected: 8,
            withdrawn: 9,
            hours: 0b101,
            fields: Tally::of_bits(0b11),
            remarks: Tally::of_bits(0b100),
        };
        let writes = ActivityWrites {
            days: vec![
                (one, today, many),
                (one, tomorrow, created),
                (other, today, created),
            ],
            pushes: vec![(one, noon() + hours(24)), (other, noon())],
            refusals: vec![(one, refusal(1)), (one, refusal(2)), (other, refusal(3))],
            secrets: vec![(one, [7; 32], noon() + hours(1)), (other, [1; 32], noon())],
        };
        store.record(&writes).await?;
        let writes = ActivityWrites {
            days: vec![(one, today, created)],
            pushes: vec![(one, noon())],
            refusals: vec![(one, refusal(4))],
            secrets: vec![(one, [7; 32], noon())],
        };
        store.record(&writes).await?;
        let activity = store.activity(one).await?;
        assert_eq!(activity.last_push_at, Some(noon() + hours(24)));
        let day = |date, counts| Day { date, counts };
        let more = Counts {
            created: 2,
            hours: 0b111,
            fields: {
                let mut fields = many.fields;
                fields += created.fields;
                fields
            },
            ..many
        };
        assert_eq!(activity.days, [day(tomorrow, created), day(today, more)]);
        assert_eq!(activity.refusals, [refusal(4), refusal(2), refusal(1)]);
        let activity = store.activity(other).await?;
        assert_eq!(activity.last_push_at, Some(noon()));
        assert_eq!(activity.refusals, [refusal(3)]);
        assert_eq!(
            found(store, 1).await?.secrets[0].last_used_at,
            Some(noon() + hours(1))
        );
        assert_eq!(found(store, 2).await?.secrets[0].last_used_at, None);
        let asked = [other, ClientId::new(uuid(404)), one];
        for with_refusals in [true, false] {
            let both = store.activities(&asked, with_refusals).await?;
            for client in asked {
                let mut alone = store.activity(client).await?;
                alone.refusals.retain(|_| with_refusals);
                assert_eq!(both.get(&client).cloned().unwrap_or_default(), alone);
            }
        }
        assert_eq!(store.activities(&[], true).await, Ok(HashMap::new()));
        let nothing = store.activity(ClientId::new(uuid(404))).await;
        assert_eq!(nothing, Ok(crate::Activity::default()));
    },
    async fn a_change_keeps_the_last_use_of_a_secret(store: &S) {
        insert(store, 1).await?;
        let writes = ActivityWrites {
            secrets: vec![(client(1).id, [7; 32], noon())],
            ..ActivityWrites::default()
        };
        store.record(&writes).await?;
        // This change was decided before the secret's use was written.
        let write = client(1).rotate([8; 32], hours(24), noon());
        store.update(&write, None).await?;
        let used: Vec<_> = found(store, 1).await?.secrets;
        let used: Vec<_> = used.iter().map(|secret| secret.last_used_at).collect();
        assert_eq!(used, [None, Some(noon())]);
    },
    async fn activity_has_a_largest_size(store: &S) {
        insert(store, 1).await?;
        let id = client(1).id;
        let unknown = ClientId::new(uuid(404));
        let mut days = Vec::new();
        for hour in 0..40 {
            let date = (noon() + hours(hour * 24)).date();
            days.push((id, date, Counts::one(PutOutcome::Updated)));
            days.push((unknown, date, Counts::one(PutOutcome::Updated)));
        }
        for part in days.chunks(30) {
            let writes = ActivityWrites {
                days: part.to_vec(),
                ..ActivityWrites::default()
            };
            store.record(&writes).await?;
        }
        for first in [1_u128, 41] {
            let refusals = (first..first + 40).map(|n| (id, refusal(n)));
            let writes = ActivityWrites {
                refusals: refusals.collect(),
                pushes: vec![(unknown, noon())],
                ..ActivityWrites::default()
            };
            store.record(&writes).await?;
        }
        let activity = store.activity(id).await?;
        assert_eq!(activity.days.len(), DAYS_KEPT);
        assert_eq!(activity.days[0].date, (noon() + hours(39 * 24)).date());
        let ids: Vec<_> = activity.refusals.iter().map(|kept| kept.id).collect();
        let newest = (1..=80).rev().map(uuid).take(REFUSALS_KEPT);
        assert_eq!(ids, newest.collect::<Vec<_>>());
        let nothing = store.activity(unknown).await;
        assert_eq!(nothing, Ok(crate::Activity::default()));
    },
);
