//! Checks commits of postings, and the beginning and end of work on catalogues, when they happen.

use kernel::{Actor, PostingId, SourceIdentifier, Status, StoreError, outbox::Claimed};

use domain::{
    catalogue::{
        CatalogueId, CatalogueLease, CatalogueQuery, Catalogues as _, Leased, MissingPosting,
        PastImport, Released, Undone,
    },
    posting::Posting,
    store::{PostingReader, Reads, Store, WriteSet},
};

use ingest::LaneSettings;
use uuid::Uuid;
use webhooks::{LeaseQuery, Recorded, Round, TrackedEndpoint};

use crate::{
    book::Word,
    catalogues::UndoState,
    integrations::{self, CLIENTS},
    reached::Reached,
    world::World,
};

pub fn number(text: &str) -> u64 {
    let last = text.rsplit(' ').next();
    last.and_then(|last| last.parse().ok()).unwrap_or_default()
}
pub fn is_fine(title: u64) -> bool {
    !title.is_multiple_of(5)
}
pub fn numbers(writes: &WriteSet) -> Vec<u64> {
    let postings = writes.postings.values();
    postings
        .map(|write| number(&write.posting.details.title))
        .collect()
}

/// Records pushes of a commit as in doubt: all pushes if the answer is lost, otherwise pushes older
/// than the lane's deadline.
pub fn committed(world: &World, numbers: Vec<u64>, is_answered: bool) {
    if !is_answered {
        world.reach(Reached::InDoubt);
    }
    let mut book = world.book();
    let deadline = LaneSettings::default().deadline;
    for number in numbers {
        let sent = book.sent.get(&number);
        if !is_answered || sent.is_some_and(|sent| sent.at.elapsed() > deadline) {
            *book.in_doubt.entry(number).or_default() += 1;
        }
    }
}

pub async fn commit(world: &World, by: &str, writes: WriteSet) -> Result<(), StoreError> {
    let mut written = Vec::new();
    for (id, write) in &writes.postings {
        let before = stored(world, *id, &write.posting.source_identifier).await?;
        let import = write.replaced.as_ref().and_then(|replaced| replaced.import);
        let reason = write
            .history
            .last()
            .and_then(|entry| entry.reason.as_deref());
        let is_undo = reason.is_some_and(|it| it.starts_with("undo of the catalogue"));
        let undone = writes.optional.leases.first().filter(|_| is_undo);
        let undone = undone.map(|lease| lease.catalogue);
        written.push((write.posting.clone(), before, import, undone));
    }
    written.sort_by(|one, other| one.0.source_identifier.cmp(&other.0.source_identifier));
    let companies: Vec<_> = writes.companies.keys().copied().collect();
    Store::commit(&*world.memory, writes).await?;
    for (posting, before, import, undone) in written {
        let is_delisted = |it: &Posting| {
            it.status() == Status::Expired && matches!(it.updated_by, Some(Actor::Catalogue(_)))
        };
        let restored = undone.filter(|_| !before.as_ref().is_some_and(is_delisted));
        let is_restored = restored.is_some();
        if let Some(catalogue) = restored {
            world.catalogues().restored(catalogue, posting.id);
        }
        if let Some(before) = &before {
            let wrong = world
                .restores()
                .written(before, &posting, import, is_restored);
            if let Some(wrong) = wrong {
                world.violated(wrong);
            }
        }
        if let Some(import) = import {
            world.catalogues().changed(posting.id, import);
        }
        check_posting(world, by, &posting, before.as_ref(), is_restored);
        check_readers(world, &posting.source_identifier).await?;
    }
    for id in companies {
        let view = domain::company::CompanyReader::company(&*world.memory, id).await?;
        if let Some(view) = view {
            let owner = view.company.owner;
            let named_by = number(view.company.name.rsplit(" by ").next().unwrap_or_default());
            let namer = CLIENTS
                .iter()
                .find(|client| u64::from(client.number) == named_by);
            let may = namer.is_none_or(|namer| !namer.is_fenced() || owner == Some(namer.id()));
            world.check(may, || {
                format!("{} names {} of {owner:?}", named_by, view.company.website)
            });
        }
    }
    Ok(())
}

async fn stored(
    world: &World,
    id: PostingId,
    identifier: &SourceIdentifier,
) -> Result<Option<Posting>, StoreError> {
    let identifiers = std::slice::from_ref(identifier);
    let mut found = Reads::load(&*world.memory, identifiers, &[]).await?;
    let found = found.postings.remove(identifier);
    Ok(found.filter(|posting| posting.id == id))
}

/// Checks that readers of approved postings see only titles that a verdict or an operator let in.
async fn check_readers(world: &World, identifier: &SourceIdentifier) -> Result<(), StoreError> {
    let found = PostingReader::find(&*world.memory, identifier).await?;
    let Some(posting) = found.map(|view| view.posting) else {
        return Ok(());
    };
    let title = number(&posting.details.title);
    let is_shown = posting.status() == Status::Approved;
    let is_let_in = is_fine(title) || world.restores().is_let_in(identifier, title);
    world.check(!is_shown || is_let_in, || {
        format!("{identifier} shows {title}, which no verdict approved")
    });
    Ok(())
}

fn check_posting(
    world: &World,
    by: &str,
    posting: &Posting,
    before: Option<&Posting>,
    is_restored: bool,
) {
    let identifier = &posting.source_identifier;
    let now = number(&posting.details.title);
    let wrong = world.catalogues().written(before, posting);
    if let Some(wrong) = wrong {
        world.violated(wrong);
    }
    if before.is_some_and(|before| number(&before.details.title) == now) {
        let status = posting.status();
        match &posting.updated_by {
            Some(Actor::Catalogue(_)) => world.note(format!("{by}: {identifier} is delisted")),
            _ => world.note(format!("{by}: {identifier} is {status}")),
        }
    } else if is_restored {
        world.note(format!("{by}: {identifier} has {now} again"));
        // From here on, the title counts as if it had been pushed last.
        let mut book = world.book();
        let titles = book.titles.entry(identifier.clone()).or_default();
        let at = titles.iter().rposition(|title| *title == now);
        let undone = titles.split_off(at.map_or(titles.len(), |at| at + 1));
        book.undone.extend(undone);
    } else {
        world.note(format!(
            "{by}: {identifier} gets {now}, {}",
            posting.status()
        ));
        let mut book = world.book();
        book.titles.entry(identifier.clone()).or_default().push(now);
        let sent = book.sent.get(&now).filter(|sent| !sent.is_dry_run).cloned();
        drop(book);
        world.check(sent.is_some(), || {
            format!("{identifier}: nobody asked for {now}")
        });
        let channels = sent.map_or_else(Vec::new, |sent| sent.channels);
        let may_write = channels.is_empty() || world.catalogues().may_write(&channels);
        world.check(may_write, || {
            format!("{identifier} gets {now} from an import that lost its lease")
        });
    }
    let moved = before.filter(|before| before.company_id != posting.company_id);
    if moved.is_some() && matches!(posting.updated_by, Some(Actor::Operator(_))) {
        world.reach(match posting.came_by {
            Some(_) => Reached::Merged,
            None => Reached::GivenBack,
        });
    }
    let is_down = world.book().word(identifier) == Word::Down;
    world.check(!(is_down && posting.is_open()), || {
        format!("{identifier} is shown against an operator's word")
    });
    let is_judged = before.is_some_and(|before| before.enriched_hash != posting.enriched_hash)
        && posting.updated_by == Some(Actor::Enricher);
    if posting.status() == Status::Approved && posting.is_moderated() && posting.shown.is_none() {
        world.restores().let_in(identifier, now);
    }
    let is_let_in = posting.status() == Status::Approved && !posting.is_moderated();
    world.check(!is_judged || !is_let_in || is_fine(now), || {
        format!("{identifier} is approved by a verdict on what it was")
    });
    if let Some(Actor::Client(client)) = &posting.updated_by {
        world.check(integrations::may_use(*client, identifier), || {
            format!("{identifier} is changed from outside its fence")
        });
    }
}

/// Checks that no task was lost by a worker that lives, is connected, and has a correct clock.
pub fn claimed(world: &World, by: &str, tasks: &[Claimed]) {
    for task in tasks {
        let may_be_lost = !world.is_calm || world.has_jumped();
        if task.lost > 0 {
            world.reach(Reached::ForgottenTask);
        }
        world.check(task.lost == 0 || may_be_lost, || {
            format!(
                "{by} claims {:?}, which a worker has forgotten",
                task.effect
            )
        });
    }
}

pub fn leased(world: &World, process: &str, query: &CatalogueQuery, leased: Leased) {
    if let Leased::Held(lease) = leased {
        if world.catalogues().is_running(lease) {
            world.reach(Reached::LostImport);
        }
        let wrong = world.catalogues().leased(process, query, lease);
        if let Some(wrong) = wrong {
            world.violated(wrong);
        }
    }
}

pub async fn finished(world: &World, lease: CatalogueLease, import: &PastImport) {
    let all = world
        .memory
        .open_postings(lease.catalogue, None, usize::MAX);
    let open = all.await.unwrap().into_iter().map(|posting| posting.id);
    let open = open.collect();
    if import.is_held() {
        world.reach(Reached::HeldBack);
    }
    let wrong = (world.catalogues()).finished(lease, import, &open, world.is_calm);
    for wrong in wrong {
        world.violated(format!("an import of a catalogue: {wrong}"));
    }
}
pub fn missing(world: &World, of: CatalogueId, postings: &[MissingPosting]) {
    for posting in postings.iter().filter(|posting| posting.is_held) {
        let is_right = world.catalogues().holds_back(of, posting.id);
        world.check(is_right, || format!("{posting:?} is not held back"));
    }
}

pub fn released(world: &World, lease: CatalogueLease, told: Released) {
    let expect = world.catalogues().released(lease);
    if expect > 0 {
        world.reach(Reached::Released);
    }
    // If a release's last answer was lost, the release is complete, and its repetition reports 0.
    let is_repeated = !world.is_calm && told == Released::default();
    world.check(told.expired == expect || is_repeated, || {
        format!("a release tells {told:?}: it expired {expect}")
    });
}

pub async fn undone(world: &World, lease: CatalogueLease, told: Undone) {
    let (fates, mut expect) = world.catalogues().undone(lease, told);
    for (id, fate) in fates {
        let found = Reads::load_by_id(&*world.memory, &[id]).await.unwrap();
        let found = found.postings.into_values().next();
        let is_its = found.is_some_and(|posting| posting.catalogue == Some(lease.catalogue));
        match fate {
            UndoState::Reopened => {
                world.reach(Reached::Undone);
                expect.reopened += 1;
            }
            UndoState::Superseded => {}
            UndoState::Untouched if is_its => world.violated(format!("an undo has left {id}")),
            _ => expect.left += 1,
        }
    }
    // Without a posting's versions, the causes of its changes are unknown. If the last import's
    // only changes were erased, the undo is about the import before.
    let has_erased = !world.book().erasures.is_empty();
    let is_forgotten = |left| world.has_jumped() && left < expect.left;
    let is_left = |left: u64| left == expect.left || has_erased || is_forgotten(left);
    let is_right = (told.reopened, told.restored) == (expect.reopened, expect.restored);
    world.check(is_right && is_left(told.left), || {
        format!("an undo tells {told:?}: it was {expect:?}")
    });
}
pub fn endpoints_leased(
    world: &World,
    process: &str,
    query: &LeaseQuery,
    leased: &[TrackedEndpoint],
) {
    let wrong = (world.deliveries()).leased(process, query, leased, world.now());
    if let Some(wrong) = wrong {
        world.violated(wrong);
    }
}

pub fn recorded(world: &World, holder: Uuid, round: &Round, recorded: Recorded) {
    if recorded != Recorded::Done {
        return;
    }
    if round
        .waiting
        .iter()
        .any(|it| it.read_to.is_some() || it.attempts == 0)
    {
        world.reach(Reached::Aside);
    }
    world.deliveries().recorded(holder, round);
}
