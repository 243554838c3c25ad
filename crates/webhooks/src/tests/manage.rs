use std::time::Duration;

use access::{Clients, Scope, testing::client};
use async_trait::async_trait;
use domain::{
    posting::event::{COMPANY_UPDATED, JOB_POSTING_UPDATED},
    testing::MemoryStore,
};
use fields::{Patch, validation::FieldErrors};
use kernel::{
    ClientId, Prefixes,
    event::{Cursor, EventLog},
    testing::{by_ann, entries, hours, noon, uuid},
};
use serde_json::json;

use crate::{
    AddressProblem, Attempt, Delivery, Endpoint, EndpointChange, EndpointId, EndpointState,
    EndpointState::{Active, Disabled},
    EndpointUrl, Health, MOST_ENDPOINTS, MOST_WAITING, ManagedWebhooks, Manager, NewEndpoint,
    Owner, Recorded, Round, Secret, Sender, WaitingSubject, WantedState, WebhookError, Webhooks,
    testing::endpoint,
};

use super::{ONE, World, answers, waits};

/// Answers 200 to a ping signed with this secret, and 500 to everything else. The name
/// `private.example` has a private address.
struct Receiver(Secret);

#[async_trait]
impl Sender for Receiver {
    async fn send(&self, delivery: &Delivery<'_>) -> Attempt {
        let is_known = delivery.secrets == [self.0.clone()] && delivery.body == b"{}";
        let status = if is_known && delivery.id == "ping_1" {
            200
        } else {
            500
        };
        Attempt::answered(status, None, Duration::ZERO)
    }

    async fn check(&self, url: &EndpointUrl) -> Result<(), AddressProblem> {
        match url.name() {
            Some("private.example") => Err(AddressProblem::NotPublic),
            _ => Ok(()),
        }
    }
}

fn secret(n: u8) -> Secret {
    Secret::new([n; 32]).unwrap()
}

fn id(n: usize) -> EndpointId {
    EndpointId::new(uuid(n as u128))
}

fn new(host: &str) -> NewEndpoint {
    NewEndpoint {
        url: url(host),
        names: None,
        include_posting: false,
        description: None,
    }
}

fn url(host: &str) -> EndpointUrl {
    EndpointUrl::from_store(&format!("https://{host}/")).unwrap()
}

fn moves_to(host: &str) -> EndpointChange {
    EndpointChange {
        url: Patch::Set(url(host)),
        ..EndpointChange::default()
    }
}

fn managed<'a>(
    store: &'a MemoryStore,
    sender: &'a Receiver,
    by: Manager<'a>,
) -> ManagedWebhooks<'a> {
    ManagedWebhooks {
        webhooks: store,
        log: store,
        clients: store,
        sender,
        by,
    }
}

#[pollster::test]
async fn a_client_manages_its_own_endpoints_and_an_operator_all() {
    let (store, sender) = (MemoryStore::new(), Receiver(secret(1)));
    let managed = |by| managed(&store, &sender, by);
    let [one, two] = [1, 2].map(|n| managed(Manager::Client(ClientId::new(uuid(n)))));
    let [by_create, by_update, by_test, by_again] = [1, 2, 3, 4].map(by_ann);
    let prefixes = Prefixes::new(&["acme-"]).unwrap();
    let created = one.create(new("a.example"), prefixes, id(1), secret(1), noon());
    let created = created.await.unwrap();
    let operator = managed(Manager::Operator(&by_create));
    let of_operator = operator.create(new("b.example"), Prefixes::ALL, id(2), secret(1), noon());
    of_operator.await.unwrap();
    assert_eq!(one.find(id(1)).await.unwrap().endpoint, created);
    let counts = [&one, &two, &operator].map(|by| pollster::block_on(by.list(None, 9)));
    assert_eq!(counts.map(|list| list.unwrap().len()), [1, 0, 2]);
    // An endpoint of another owner is not found.
    for (by, unknown) in [(&two, id(1)), (&one, id(2)), (&operator, id(3))] {
        let (now, change) = (noon(), EndpointChange::default());
        let outcomes = [
            by.find(unknown).await.map(drop),
            by.update(unknown, &change, now).await.map(drop),
            by.rotate(unknown, secret(2), now).await.map(drop),
            by.replay(unknown, now, now).await,
            by.resend(unknown, Cursor::START, now).await,
            by.deliveries(unknown, 9).await.map(drop),
            by.test(unknown, ("ping_1", b"{}"), now).await.map(drop),
            by.delete(unknown, now).await,
        ];
        assert_eq!(outcomes, [const { Err(WebhookError::NotFound) }; 8]);
    }
    let change = EndpointChange {
        state: Patch::Set(WantedState::Paused),
        ..moves_to("c.example")
    };
    let by_operator = managed(Manager::Operator(&by_update));
    let paused = by_operator.update(id(1), &change, noon()).await.unwrap();
    assert_eq!(paused.endpoint.state, EndpointState::Paused);
    assert_eq!(one.find(id(1)).await, Ok(paused));
    // A request that changes nothing writes nothing.
    let again = managed(Manager::Operator(&by_again));
    again.update(id(1), &change, noon()).await.unwrap();
    let pings = managed(Manager::Operator(&by_test));
    pings.announce_test(id(1), &store, noon()).await.unwrap();
    let ping = pings.test(id(1), ("ping_1", b"{}"), noon()).await;
    assert_eq!(ping.unwrap().outcome.status(), Some(200));
    one.rotate(id(1), secret(2), noon()).await.unwrap();
    let ping = one.test(id(1), ("ping_1", b"{}"), noon()).await;
    assert_eq!(ping.unwrap().outcome.status(), Some(500));
    assert_eq!(one.deliveries(id(1), 9).await, Ok(Vec::new()));
    one.delete(id(1), noon()).await.unwrap();
    let mut entries = entries(&store).await.unwrap();
    entries.sort_by_key(|entry| entry.run);
    let audit = entries.iter();
    let audit = audit.map(|entry| (entry.action.as_str(), entry.subject.clone()));
    let expect = [
        ("webhooks.create", 2),
        ("webhooks.update", 1),
        ("webhooks.test", 1),
    ];
    assert!(audit.eq(expect.map(|(action, n)| (action, Some(id(n).to_string())))));
}

#[pollster::test]
async fn an_address_is_checked_when_it_is_new() {
    let (store, sender) = (MemoryStore::new(), Receiver(secret(1)));
    let by = Manager::Client(ClientId::new(uuid(1)));
    let client = managed(&store, &sender, by);
    let create = async |host, n| {
        client
            .create(new(host), Prefixes::ALL, id(n), secret(1), noon())
            .await
    };
    let message = AddressProblem::NotPublic.to_string();
    let refused = WebhookError::Invalid(FieldErrors::one("url", message));
    assert_eq!(create("private.example", 1).await, Err(refused.clone()));
    for n in 1..=MOST_ENDPOINTS {
        assert!(create("a.example", n).await.is_ok());
    }
    let many = create("a.example", MOST_ENDPOINTS + 1).await;
    assert_eq!(many, Err(WebhookError::TooMany));
    let elsewhere = moves_to("private.example");
    assert_eq!(client.update(id(1), &elsewhere, noon()).await, Err(refused));
}

#[pollster::test]
async fn an_endpoint_begins_with_the_present_and_goes_back_on_demand() {
    let world = World::new("5", 0).await;
    world.publish([1, 2]).await;
    let (store, sender) = (&world.store, Receiver(secret(1)));
    let by = Manager::Client(ClientId::new(uuid(1)));
    let client = managed(store, &sender, by);
    let create = client.create(new("a.example"), Prefixes::ALL, id(1), secret(1), noon());
    create.await.unwrap();
    let cursor = async || Webhooks::find(store, id(1)).await.unwrap().unwrap().cursor;
    let end = store.end().await.unwrap();
    assert_eq!(cursor().await, end);
    let start = store.cursor_at(noon() - hours(1)).await.unwrap();
    assert!(start < end);
    for (since, expect) in [(noon() + hours(1), end), (noon() - hours(1), start)] {
        client.replay(id(1), since, noon()).await.unwrap();
        assert_eq!(cursor().await, expect);
    }
}

/// An event that the owner may not see is not found.
#[pollster::test]
async fn an_event_is_delivered_again_and_its_posting_is_named() {
    let mut world = World::new("5", 0).await;
    let mut owner = client(1);
    owner.scopes.push(Scope::WebhooksManage);
    owner.prefixes = Prefixes::new(&["job-1", "job-2"]).unwrap();
    Clients::insert(&world.store, &owner, None).await.unwrap();
    let of_client = Endpoint {
        owner: Owner::Client(owner.id),
        names: Some(vec![JOB_POSTING_UPDATED]),
        prefixes: owner.prefixes.clone(),
        ..endpoint(1)
    };
    let inserted = Webhooks::insert(&world.store, &of_client, Cursor::START, None);
    inserted.await.unwrap();
    world.publish([1, 2, 1, 3]).await;
    let events = world.events().await;
    world.run(super::secs(2), &mut |_, _| answers(200)).await;
    let sender = Receiver(secret(1));
    let by = by_ann(1);
    for by in [Manager::Client(owner.id), Manager::Operator(&by)] {
        let webhooks = managed(&world.store, &sender, by);
        for unseen in [events[3].cursor, Cursor::START] {
            let resent = webhooks.resend(of_client.id, unseen, noon()).await;
            assert_eq!(resent, Err(WebhookError::EventNotFound));
        }
        let resent = webhooks.resend(of_client.id, events[0].cursor, world.now);
        assert_eq!(resent.await, Ok(()));
        let until = world.elapsed() + super::secs(2);
        world.run(until, &mut |_, _| answers(200)).await;
    }
    let seen: Vec<_> = world.seen.iter().map(|seen| seen.event).collect();
    assert_eq!(seen, [0, 1, 2, 0, 0].map(|n| events[n].cursor));

    let webhooks = managed(&world.store, &sender, Manager::Client(owner.id));
    let logged = webhooks.deliveries(of_client.id, 9).await.unwrap();
    let logged = logged
        .into_iter()
        .rev()
        .map(|one| (one.record.event, one.event));
    let expect = [0, 1, 2, 0, 0].map(|n| (events[n].cursor, Some(events[n].clone())));
    assert_eq!(logged.collect::<Vec<_>>(), expect);

    let only_companies = EndpointChange {
        names: Patch::Set(vec![COMPANY_UPDATED]),
        ..EndpointChange::default()
    };
    let updated = webhooks.update(of_client.id, &only_companies, noon());
    updated.await.unwrap();
    let resend = async || {
        webhooks
            .resend(of_client.id, events[0].cursor, noon())
            .await
    };
    let why = "is a JobPostingUpdated, which the webhook does not get";
    let expect = WebhookError::Invalid(FieldErrors::one("event", why.to_owned()));
    assert_eq!(resend().await, Err(expect));

    // A revoked client may see no events.
    let write = owner.revoke(noon()).unwrap();
    Clients::update(&world.store, &write, None).await.unwrap();
    let logged = webhooks.deliveries(of_client.id, 9).await.unwrap();
    assert!(logged.len() == 5 && logged.iter().all(|one| one.event.is_none()));
    assert_eq!(resend().await, Err(WebhookError::EventNotFound));
}

/// The address and the state are audited. A moved or resumed endpoint has no earlier failures.
#[pollster::test]
async fn a_change_says_what_it_changed_and_a_move_or_a_resumption_starts_over() {
    let described = EndpointChange {
        description: Patch::Set("Ours.".to_owned()),
        ..EndpointChange::default()
    };
    let state = |state| EndpointChange {
        state: Patch::Set(state),
        ..EndpointChange::default()
    };
    let (paused, active) = (state(WantedState::Paused), state(WantedState::Active));
    let (moved, url) = (moves_to("b.example"), json!({"url": "https://b.example/"}));
    let (mut silent, new) = (Health::default(), Health::default());
    silent.back_off(0.0, noon());
    for (before, change, details, health) in [
        (Active, described, json!({}), silent),
        (Active, moved, url, new),
        (Active, paused, json!({"state": "paused"}), silent),
        (Disabled, active, json!({"state": "active"}), new),
    ] {
        let (world, _) = World::with_waiting([1], &[]).await;
        let leased = world.lease(ONE, 1).await;
        let mut round = Round::idle(&leased[0], noon());
        round.health = silent;
        round.disabled = (before == Disabled).then(|| "It said so.".to_owned());
        assert_eq!(world.store.record(ONE, &round).await, Ok(Recorded::Done));
        let (sender, by) = (Receiver(secret(1)), by_ann(1));
        let operator = managed(&world.store, &sender, Manager::Operator(&by));
        let changed = operator.update(id(1), &change, noon()).await.unwrap();
        assert_eq!(changed.health, health, "{change:?}");
        assert_eq!(operator.find(id(1)).await, Ok(changed));
        let entries = entries(&world.store).await.unwrap();
        assert_eq!(json!(entries[0].details), details);
    }
}

#[pollster::test]
async fn an_event_is_delivered_again_while_fewer_than_the_most_wait() {
    let (world, events) = World::with_waiting([1], &[(0, 0)]).await;
    world.publish([2]).await;
    let leased = world.lease(ONE, 1).await;
    let mut round = Round::idle(&leased[0], noon());
    let others = (3..=MOST_WAITING as u128).map(|subject| WaitingSubject {
        subject: uuid(subject),
        ..waits(&events[0], 1, noon())
    });
    round.waiting = others.collect();
    round.to = world.store.end().await.unwrap();
    assert_eq!(world.store.record(ONE, &round).await, Ok(Recorded::Done));
    let (sender, by) = (Receiver(secret(1)), by_ann(1));
    let operator = managed(&world.store, &sender, Manager::Operator(&by));
    for expect in [Ok(()), Err(WebhookError::TooManyWaiting)] {
        assert_eq!(operator.resend(id(1), round.to, noon()).await, expect);
    }
}
