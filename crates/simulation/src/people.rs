//! Operators.

use std::sync::Arc;

use domain::{
    posting::moderation::Moderation,
    usecase::{ModerationError, erase, forget_catalogue, moderate},
};
use kernel::{
    StoreFailure as _,
    testing::{by_ann, identifier},
};

use crate::{
    book::Word,
    integrations::{IDENTIFIERS, Integration, catalogue},
    ports::Port,
    process::Process,
    world::World,
};

/// An operator's command about a posting, repeated until it is answered. One speaks at a time.
pub async fn operate(world: Arc<World>, process: Arc<Process>) {
    let posting = identifier(world.dice.pick::<&str>(&IDENTIFIERS));
    if world.book().word(&posting) == Word::Unknown {
        return;
    }
    let reason = || "the simulation".to_owned();
    let (command, meant) = match world.dice.below(6) {
        0 | 1 => (Some(Moderation::Expire { reason: reason() }), Word::Down),
        2 => (Some(Moderation::Reopen { reason: reason() }), Word::None),
        3 => (Some(Moderation::Approve), Word::None),
        4 => (Some(Moderation::Reject { reason: reason() }), Word::Down),
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
                let retention = &*world.memory;
                let erased = erase(store, retention, &posting, "asked", &by, now);
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
        // One that dies leaves it open what was done; another operator may say it again.
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

/// An operator forgets a client's catalogue, whose postings stay.
pub async fn forget(world: Arc<World>, process: Arc<Process>, client: Integration) {
    let (port, name) = (Port(Arc::clone(&process.link)), catalogue());
    let by = by_ann(world.number().into());
    let forgotten = forget_catalogue(&port, client.id(), &name, &by, (process.clock)());
    let forgotten = process.answer(forgotten).await;
    let number = client.number;
    world.note(format!(
        "the catalogue of {number} is forgotten: {forgotten:?}"
    ));
}
