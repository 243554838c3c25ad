use std::{sync::Arc, time::Duration};

use domain::{
    posting::{Ground, moderation::Moderation},
    usecase::{
        ModerationError, erase, forget_catalogue, merge_companies, moderate, unmerge_company,
    },
};
use kernel::{
    StoreFailure as _,
    event::EventLog as _,
    testing::{by_ann, identifier, uuid},
};
use newsletter::{
    audit::SUBSCRIBERS_ERASE,
    subscriber::{
        Account, Email, MigrationSource, MigrationToken, PutSubscriber, ReceivedEvent,
        SubscriberId, SubscriberStatus, provider::ProviderStatus,
    },
    testing::{email, notice, report, token},
    usecase,
};
use webhooks::{Webhooks as _, testing::endpoint};

use crate::{
    book::Word,
    integrations::{IDENTIFIERS, Integration, catalogue, company},
    ports::Port,
    process::Process,
    subscribers::{PEOPLE, known},
    world::World,
};

/// Runs one command at a time, and repeats it until it is answered.
pub async fn operate(world: Arc<World>, process: Arc<Process>) {
    let posting = identifier(world.dice.pick::<&str>(&IDENTIFIERS));
    if world.book().word(&posting) == Word::Unknown {
        return;
    }
    let reason = || "the simulation".to_owned();
    let (command, meant) = match world.dice.below(6) {
        0 | 1 => (
            Some(Moderation::Expire {
                reason: reason(),
                ground: Ground::Terms,
            }),
            Word::Down,
        ),
        2 => (Some(Moderation::Reopen { reason: reason() }), Word::None),
        3 => (Some(Moderation::Approve), Word::None),
        4 => (
            Some(Moderation::Reject {
                reason: reason(),
                ground: Ground::Terms,
            }),
            Word::Down,
        ),
        _ => (None, Word::None),
    };
    world.note(format!("an operator says {command:?} about {posting}"));
    let before = world.book().word(&posting);
    (world.book().words).insert(posting.clone(), Word::Unknown);
    let by = by_ann(world.number().into());
    let (store, lifetime) = (&*process.store, world.lifetime);
    let mut tries = 0;
    let said = loop {
        tries += 1;
        let now = (process.clock)();
        let said = async {
            let Some(command) = &command else {
                let retention = Port(Arc::clone(&process.link));
                let ports = (store as _, &retention as _, &*world.memory as _);
                let erased = erase(ports, &posting, "asked", Ground::Terms, &by, now);
                return erased.await.map(|_| ());
            };
            let said = moderate(store, &posting, command, None, &by, lifetime, now);
            said.await.map(|_| ())
        };
        let said = process.answer(said).await;
        let failed = |it: &Result<(), ModerationError>| {
            let error = it.as_ref().err();
            error.is_some_and(|error| error.store_error().is_some())
        };
        // After a process has died, the outcome is unknown. Another operator may repeat the
        // command.
        if said.as_ref().is_none_or(|said| !failed(said)) || tries > 50 {
            break said;
        }
    };
    world.note(format!("the operator is told {said:?} about {posting}"));
    let last = match &said {
        Some(Ok(())) => Some(meant),
        Some(Err(_)) if tries == 1 => Some(before),
        _ => Some(Word::None),
    };
    let mut book = world.book();
    if command.is_none() {
        *book.erasures.entry(posting.clone()).or_default() += 1;
    }
    if let Some(last) = last {
        book.words.insert(posting, last);
    }
}

pub async fn merge(world: Arc<World>, process: Arc<Process>) {
    let [from, into] = *world.dice.pick(&[[0, 1], [1, 0]]);
    let is_merge = world.dice.one_in(2);
    let by = by_ann(world.number().into());
    let (store, companies) = (&*process.store, &*world.memory);
    world.note(format!(
        "an operator merges ({is_merge}) company {from} into {into}"
    ));
    let said = async {
        let now = (process.clock)();
        if is_merge {
            let ids = (company(from), company(into));
            merge_companies((store, companies), ids, "one", &by, now).await
        } else {
            unmerge_company(store, company(from), "two", &by, now).await
        }
    };
    let said = process.answer(said).await;
    world.note(format!("the operator is told {said:?}"));
}

pub async fn forget(world: Arc<World>, process: Arc<Process>, client: Integration) {
    let (port, name) = (Port(Arc::clone(&process.link)), catalogue());
    let by = by_ann(world.number().into());
    let forgotten = forget_catalogue(&port, client.id(), &name, Some(&by), (process.clock)());
    let forgotten = process.answer(forgotten).await;
    let number = client.number;
    world.note(format!(
        "the catalogue of {number} is forgotten: {forgotten:?}"
    ));
}

/// Replays the last minutes of a client's webhook.
pub async fn replay(world: Arc<World>, process: Arc<Process>, client: Integration) {
    let port = Port(Arc::clone(&process.link));
    let since = (process.clock)() - Duration::from_secs(world.dice.below(600));
    world.note(format!(
        "{} replays its webhook since {since}",
        client.number
    ));
    let replayed = async {
        let to = port.cursor_at(since).await?;
        port.replay(endpoint(client.number).id, to, None).await
    };
    let replayed = process.answer(replayed).await;
    world.note(format!("{} is told {replayed:?}", client.number));
}

const LEFT: [SubscriberStatus; 3] = [
    SubscriberStatus::Unsubscribed,
    SubscriberStatus::SpamReported,
    SubscriberStatus::Bounced,
];

pub async fn member(world: &World, process: &Process) {
    let nth = world.dice.pick(&[0_usize, 1, 2]).to_owned();
    let mut addresses = PEOPLE[nth];
    if world.dice.one_in(3) {
        addresses.reverse();
    }
    let [address, other] = addresses;
    match world.dice.below(14) {
        0..=4 => put(world, process, address, None).await,
        5 | 6 => move_over(world, process, address).await,
        7 | 8 => put(world, process, other, Some(address)).await,
        9 => erase_person(world, process, address).await,
        10 => refuse_mail(world, process, nth, address).await,
        _ => leave(world, process, nth, address).await,
    }
}

async fn put(world: &World, process: &Process, address: &str, previous: Option<&str>) {
    let name = world.number();
    let put = match previous {
        None => report(address, &format!(r#"{{"name": "Name {name}"}}"#)),
        Some(previous) => {
            let body = format!(r#"{{"name": "Name {name}", "previous_email": "{previous}"}}"#);
            report(address, &body)
        }
    };
    let (new_id, new_token) = new_row(world);
    let put = PutSubscriber {
        new_id,
        new_token,
        ..put
    };
    let follows = match previous {
        None => false,
        Some(previous) => known(world, &email(previous))
            .await
            .is_some_and(|known| known.reported_at.is_some() && known.status.is_suppressed()),
    };
    world.note(format!(
        "{address}, once {previous:?}, is reported as {name}"
    ));
    let puts = usecase::put_subscriber(&*process.store, &put, (process.clock)());
    let answer = process.answer(puts).await;
    if follows && matches!(answer, Some(Ok(_))) {
        world.book().subscribers.left.insert(put.email);
    }
}

async fn move_over(world: &World, process: &Process, address: &str) {
    world.note(format!("{address} is moved"));
    let (emails, source) = ([email(address)], MigrationSource::Manual);
    let now = (process.clock)();
    let moved = usecase::migrate(&*process.store, &emails, source, now);
    let _ = process.answer(moved).await;
}

async fn erase_person(world: &World, process: &Process, address: &str) {
    world.note(format!("{address} is erased"));
    let (person, now) = (email(address), (process.clock)());
    let entry = by_ann(world.number().into()).entry(SUBSCRIBERS_ERASE, now);
    let erased = usecase::erase(&*process.store, &person, entry);
    let _ = process.answer(erased).await;
}

/// An operator suppresses an address, or its holder unsubscribes by a link.
async fn refuse_mail(world: &World, process: &Process, nth: usize, address: &str) {
    let (store, now, person) = (&*process.store, (process.clock)(), email(address));
    world.book().subscribers.may_have_left.insert(nth);
    let suppressed = if world.dice.one_in(2) {
        let notice = said(world, &person, SubscriberStatus::Unsubscribed);
        let by = by_ann(world.number().into());
        let suppressed = usecase::suppress(store, &notice, "the simulation", &by, now);
        let answer = process.answer(suppressed).await;
        answer.map(|it| it.map(|it| Some(it.subscriber)))
    } else {
        let Some(known) = known(world, &person).await else {
            return;
        };
        let left = usecase::unsubscribe_holder(store, &known.token, now);
        process.answer(left).await
    };
    world.note(format!("{address} is to get no mail: {suppressed:?}"));
    if let Some(Ok(Some(suppressed))) = suppressed {
        world.book().subscribers.left.insert(suppressed.email);
    }
}

/// A person leaves an account. The provider repeats the event until a process has received it.
async fn leave(world: &World, process: &Process, nth: usize, address: &str) {
    let person = email(address);
    let account = *world.dice.pick(Account::ALL);
    let there = world.provider.person(account, &person);
    if there.is_none_or(|there| there.status != ProviderStatus::Active) {
        return;
    }
    let status = *world.dice.pick(&LEFT);
    world.note(format!("{address} leaves {account}: {status}"));
    world.provider.at(world.now());
    world.provider.set(account, &person, status);
    {
        let told = &mut world.book().subscribers;
        told.may_have_left.insert(nth);
        told.left.insert(person.clone());
        told.unheard.push((person, status));
    }
    hear(world, process).await;
}

/// Delivers the provider's events to a process. Events that no process received are repeated.
pub async fn hear(world: &World, process: &Process) {
    let unheard = world.book().subscribers.unheard.clone();
    for (person, status) in unheard {
        let notices = [said(world, &person, status)];
        let now = (process.clock)();
        let heard = usecase::notice_events(&*process.store, &notices, now);
        let heard = process.answer(heard).await;
        world.note(format!("that {person} left is heard: {heard:?}"));
        if heard == Some(Ok(())) && !world.may_misbehave(3) {
            let unheard = &mut world.book().subscribers.unheard;
            unheard.retain(|other| *other != (person.clone(), status));
        }
    }
}

fn said(world: &World, person: &Email, status: SubscriberStatus) -> ReceivedEvent {
    let (new_id, new_token) = new_row(world);
    ReceivedEvent {
        new_id,
        new_token,
        ..notice(person.as_str(), status)
    }
}

fn new_row(world: &World) -> (SubscriberId, MigrationToken) {
    let id = uuid(0x2_0000_0000 + u128::from(world.number()));
    (SubscriberId::new(id), token(&id.to_string()))
}
