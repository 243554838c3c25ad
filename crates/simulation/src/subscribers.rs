//! The rules for newsletter subscribers. Each person has two addresses.

use newsletter::{
    store::Store as _,
    subscriber::{Account, Departure, Email, Subscriber},
    testing::email,
};

use crate::world::World;
pub const PEOPLE: [[&str; 2]; 3] = [
    ["ann@example.com", "ann@new.example"],
    ["bo@example.com", "bo@new.example"],
    ["cy@example.com", "cy@new.example"],
];

pub async fn known(world: &World, person: &Email) -> Option<Subscriber> {
    let known = world.memory.load(std::slice::from_ref(person));
    known.await.unwrap().remove(person)
}

fn reached(world: &World, person: &Email) -> Vec<Account> {
    let gets_mail = |account: &Account| {
        let there = world.provider.person(*account, person);
        there.is_some_and(|there| there.status.suppression().is_none())
    };
    Account::ALL.iter().copied().filter(gets_mail).collect()
}

/// Checks that a person who is removed from an account gets mail elsewhere, or is put back. If a
/// report of the departing address arrives during the call, its sync waits for the call and then
/// creates the person again.
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
    let is_put_back = present.email == person && present.needs_sync();
    let mut elsewhere = reached(world, &present.email);
    elsewhere.retain(|other| present.email != person || *other != account);
    let is_fine = !wants_mail || has_left || is_put_back || !elsewhere.is_empty();
    world.check(is_fine, || {
        format!("{address} is removed from {account}, and in no other account")
    });
}

/// Checks that no mail reaches people who left, and that all others are in the right account.
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
        // A report does not remove people from an account in which they already were.
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
