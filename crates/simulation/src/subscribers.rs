//! Those who get the newsletter: what they and operators do, and what must hold of them. Each
//! person has two addresses, and goes from one to the other.

use std::collections::BTreeSet;

use kernel::testing::{by_ann, uuid};
use newsletter::{
    store::Store as _,
    subscriber::{
        Account, Departure, Email, MigrationSource, MigrationToken, Notice, PutSubscriber,
        Subscriber, SubscriberId, SubscriberStatus, provider::ProviderStatus,
    },
    testing::{email, notice, report, token},
    usecase,
};

use crate::{process::Process, world::World};

/// The addresses of each person.
const PEOPLE: [[&str; 2]; 3] = [
    ["ann@example.com", "ann@new.example"],
    ["bo@example.com", "bo@new.example"],
    ["cy@example.com", "cy@new.example"],
];

/// The statuses of those who leave.
const LEFT: [SubscriberStatus; 3] = [
    SubscriberStatus::Unsubscribed,
    SubscriberStatus::SpamReported,
    SubscriberStatus::Bounced,
];

/// What is known of those who get the newsletter.
#[derive(Debug, Default)]
pub struct Told {
    /// The addresses that want no mail.
    left: BTreeSet<Email>,
    /// The persons who may have left under an address.
    may_have_left: BTreeSet<usize>,
    /// What the provider says until it is heard.
    unheard: Vec<(Email, SubscriberStatus)>,
}

/// Something that concerns the newsletter.
pub async fn step(world: &World, process: &Process) {
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
        9 => erase(world, process, address).await,
        10 => refuse_mail(world, process, nth, address).await,
        _ => leave(world, process, nth, address).await,
    }
}

/// The membership system reports somebody, perhaps with a previous address.
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

async fn erase(world: &World, process: &Process, address: &str) {
    world.note(format!("{address} is erased"));
    let (person, now) = (email(address), (process.clock)());
    let erased = usecase::erase(&*process.store, &person, None, now);
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

/// Somebody leaves an account that they are in. The provider says so until it is heard.
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

/// Tells what the provider says to a process; what is not heard is said again.
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

/// An event of the provider.
fn said(world: &World, person: &Email, status: SubscriberStatus) -> Notice {
    let (new_id, new_token) = new_row(world);
    Notice {
        new_id,
        new_token,
        ..notice(person.as_str(), status)
    }
}

/// The id and the token of a new row.
fn new_row(world: &World) -> (SubscriberId, MigrationToken) {
    let id = uuid(0x2_0000_0000 + u128::from(world.number()));
    (SubscriberId::new(id), token(&id.to_string()))
}

async fn known(world: &World, person: &Email) -> Option<Subscriber> {
    let known = world.memory.load(std::slice::from_ref(person));
    known.await.unwrap().remove(person)
}

/// The accounts that send mail to an address.
fn reached(world: &World, person: &Email) -> Vec<Account> {
    let gets_mail = |account: &Account| {
        let there = world.provider.person(*account, person);
        there.is_some_and(|there| there.status.suppression().is_none())
    };
    Account::ALL.iter().copied().filter(gets_mail).collect()
}

/// Checks that whoever is about to be removed from an account gets mail elsewhere.
pub async fn check_removal(world: &World, account: Account, address: &str) {
    let person = email(address);
    let mut present = known(world, &person).await;
    while let Some(Departure::Moved(id)) = present.as_ref().and_then(|it| it.departure) {
        present = world.memory.load_by_id(&[id]).await.unwrap().remove(&id);
    }
    let Some(present) = present.filter(|it| it.departure.is_none()) else {
        return;
    };
    let wants_mail = present.reported_at.is_some() && !present.status.is_suppressed();
    let has_left = {
        let left = &world.book().subscribers.left;
        left.contains(&person) || left.contains(&present.email)
    };
    let mut elsewhere = reached(world, &present.email);
    elsewhere.retain(|other| present.email != person || *other != account);
    world.check(!wants_mail || has_left || !elsewhere.is_empty(), || {
        format!("{address} is removed from {account}, and in no other account")
    });
}

/// Checks that nobody who left is reached, and that whoever did not is where they belong.
pub async fn check(world: &World) {
    for (nth, addresses) in PEOPLE.iter().enumerate() {
        for address in addresses {
            check_one(world, nth, &email(address)).await;
        }
    }
}

async fn check_one(world: &World, nth: usize, person: &Email) {
    let known = known(world, person).await;
    let reached = reached(world, person);
    let (has_left, may_have_left) = {
        let told = &world.book().subscribers;
        (
            told.left.contains(person),
            told.may_have_left.contains(&nth),
        )
    };
    let is_suppressed = known.as_ref().is_some_and(|it| it.status.is_suppressed());
    if has_left {
        let remembered = world.memory.remembered(std::slice::from_ref(person)).await;
        let is_recorded = is_suppressed || !remembered.unwrap().is_empty();
        world.check(is_recorded, || format!("{person} left, which nobody knows"));
    }
    world.check(!is_suppressed || may_have_left, || {
        format!("{person} is suppressed, and never left")
    });
    let Some(known) = known else {
        let mut all = Account::ALL.iter();
        let shown = all.find(|account| world.provider.person(**account, person).is_some());
        world.check(shown.is_none(), || {
            format!("{person} is still in {shown:?}")
        });
        return;
    };
    world.check(known.departure.is_none(), || {
        format!("{person} never departs")
    });
    let account = known.account();
    let wants_mail = known.reported_at.is_some() && !is_suppressed;
    let is_right = match (wants_mail, account) {
        (false, _) => reached.is_empty(),
        (true, Account::New) => reached == [Account::New],
        // Whoever was in the new account before does not leave it by a report.
        (true, Account::Old) => reached.contains(&Account::Old),
    };
    world.check(is_right, || {
        format!("{person} belongs in {account}: {wants_mail}, and gets mail from {reached:?}")
    });
    let there = world.provider.person(account, person);
    let shown = there.and_then(|there| there.profile);
    world.check(!wants_mail || shown == Some(known.profile()), || {
        format!("{person} is shown as {shown:?}")
    });
}
