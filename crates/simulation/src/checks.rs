//! Checks the end state, once the faults are over and everything has settled.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use access::Clients;
use domain::{
    catalogue::Catalogues,
    company::CompanyReader,
    posting::event::{COMPANY_UPDATED, JOB_POSTING_ERASED, PUBLIC},
    store::{PostingReader, Reads},
};
use kernel::{
    Prefixes, Status,
    event::{EventLog as _, LogQuery, RecordedEvent, Subject},
    outbox::Outbox,
    testing::identifier,
};
use webhooks::{EndpointState, Owner, Webhooks};

use crate::{
    book::Word,
    deliveries::Taken,
    integrations::{CLIENTS, IDENTIFIERS, catalogue},
    judge::{is_fine, number},
    reached::Reached,
    subscribers,
    world::World,
};

pub async fn unsettled(world: &World) -> Option<String> {
    let outbox: &dyn Outbox = &*world.memory;
    if let Some(task) = outbox.list(false, None, 1).await.unwrap().first() {
        return Some(format!("a task waits: {task:?}"));
    }
    if let Some(task) = outbox.list(true, None, 1).await.unwrap().first() {
        return Some(format!("a task is dead: {task:?}"));
    }
    let endpoints: &dyn Webhooks = &*world.memory;
    let backlog = endpoints.backlog(usize::MAX).await.unwrap();
    let behind = backlog
        .iter()
        .find(|one| one.waiting > 0 || one.behind_since.is_some());
    if let Some(behind) = behind {
        return Some(format!("an endpoint is behind: {behind:?}"));
    }
    let catalogues: &dyn Catalogues = &*world.memory;
    for client in CLIENTS {
        let found = catalogues
            .find(client.id(), &catalogue(), world.now())
            .await;
        if found.unwrap().is_some_and(|found| found.is_running) {
            return Some(format!(
                "an import of client {} has its lease",
                client.number
            ));
        }
    }
    None
}

pub async fn check(world: &World) {
    let query = LogQuery {
        after: None,
        names: PUBLIC.to_vec(),
        prefixes: Prefixes::ALL,
        reader: None,
        limit: usize::MAX,
    };
    let events = world.memory.read(&query).await.unwrap().events;
    postings(world, &events).await;
    order(world);
    deliveries(world, &events).await;
    subscribers::check(world).await;
}

/// Checks that the feed rebuilds the board, and that each posting has its verdict.
async fn postings(world: &World, events: &[RecordedEvent]) {
    let mut told = BTreeMap::new();
    let mut versions = HashMap::new();
    for recorded in events {
        let Subject::Posting(state) = &recorded.event.subject else {
            continue;
        };
        let version = versions.entry(state.id).or_insert(0);
        world.check(*version <= state.version, || {
            format!(
                "{}: version {} after {version}",
                state.source_identifier, state.version
            )
        });
        *version = state.version;
        if recorded.event.name == JOB_POSTING_ERASED {
            told.remove(&state.source_identifier);
        } else {
            told.insert(state.source_identifier.clone(), state.clone());
        }
    }
    for name in IDENTIFIERS {
        let name = identifier(name);
        let found = PostingReader::find(&*world.memory, &name).await.unwrap();
        let told = told.get(&name);
        let Some(view) = found else {
            world.check(told.is_none(), || format!("{name} is in the feed alone"));
            continue;
        };
        let posting = view.posting;
        let pushed = Reads::load_by_id(&*world.memory, &[posting.id])
            .await
            .unwrap();
        let pushed = &pushed.postings[&name];
        let is_told =
            told.is_some_and(|told| (told.id, told.status) == (posting.id, posting.status()));
        world.check(is_told, || {
            format!("{name} is {}: the feed has {told:?}", posting.status())
        });
        let title = number(&pushed.details.title);
        let last = world
            .book()
            .titles
            .get(&name)
            .and_then(|titles| titles.last().copied());
        world.check(last == Some(title), || {
            format!("{name} has {title}, and got {last:?}")
        });
        let is_judged = match posting.status() {
            Status::PendingEnrichment => false,
            Status::Approved => {
                let shown = number(&posting.details.title);
                posting.is_moderated() || is_fine(shown)
            }
            Status::Rejected => posting.is_moderated() || !is_fine(title),
            Status::Expired => true,
        };
        world.check(is_judged, || {
            format!("{name} is {} with {title}", posting.status())
        });
        let company = async |id| CompanyReader::company(&*world.memory, id).await.unwrap();
        let came = match pushed.came_by {
            Some(alias) => company(alias)
                .await
                .is_some_and(|it| it.company.alias_of == Some(pushed.company_id)),
            None => true,
        };
        let is_merged = async |id| {
            let company = company(id).await;
            company.is_none_or(|it| it.company.alias_of.is_some())
        };
        let is_alias = is_merged(pushed.company_id).await || is_merged(posting.company_id).await;
        world.check(came && !is_alias, || {
            format!(
                "{name} is a posting of {}, shown as one of {}, and came by {:?}",
                pushed.company_id, posting.company_id, pushed.came_by
            )
        });
        let is_down = world.book().word(&name) == Word::Down;
        world.check(!(is_down && posting.is_open()), || {
            format!("{name} is shown against an operator's word")
        });
    }
}

/// Checks that commands of one channel are stored once, and in their order.
fn order(world: &World) {
    let book = world.book();
    let mut problems = Vec::new();
    for (name, titles) in &book.titles {
        let mut last = BTreeMap::new();
        let mut seen = BTreeMap::<u64, usize>::new();
        for title in titles {
            let Some(sent) = book.sent.get(title) else {
                continue;
            };
            let times = seen.entry(*title).or_default();
            *times += 1;
            // A line is written again if its commit succeeded and the answer was lost.
            let in_doubt = book.in_doubt.get(title).copied().unwrap_or_default();
            if *times > sent.channels.len() + in_doubt {
                problems.push(format!("{name} got {title} too often: {titles:?}"));
            }
            let [channel] = &sent.channels[..] else {
                continue;
            };
            let before = last.insert(channel, *title);
            if before > Some(*title) {
                problems.push(format!("{name} got {title} after {before:?}: {titles:?}"));
            }
        }
    }
    drop(book);
    for problem in problems {
        world.violated(problem);
    }
}

/// Checks that each endpoint got the events that it may see, in order for each subject, and again
/// what a replay repeats. For other repetitions see [`deliveries`](crate::deliveries).
async fn deliveries(world: &World, events: &[RecordedEvent]) {
    let endpoints: &dyn Webhooks = &*world.memory;
    let by_id: HashMap<_, _> = events
        .iter()
        .map(|it| (it.cursor.to_string(), it))
        .collect();
    let taken = world.deliveries().taken();
    for tracked in endpoints.list(None, None, usize::MAX).await.unwrap() {
        let endpoint = tracked.endpoint;
        let host = endpoint.url.name().unwrap_or_default().to_owned();
        let Owner::Client(owner) = endpoint.owner else {
            continue;
        };
        let client = Clients::find(&*world.memory, owner).await.unwrap().unwrap();
        let is_active = endpoint.state == EndpointState::Active;
        let wanted: BTreeSet<_> = (events.iter())
            .filter(|recorded| recorded.event.is_for(Some(client.id), &client.prefixes))
            .map(|recorded| recorded.cursor.to_string())
            .collect();
        let (mut got, mut last, mut replayed) = (BTreeSet::new(), HashMap::new(), 0);
        for Taken {
            id,
            is_late,
            replays,
        } in taken.get(&host).into_iter().flatten()
        {
            world.check(wanted.contains(id), || {
                format!("{host} got {id}, which is not for it")
            });
            // A replay also reads events of a company that a later one had superseded.
            if *replays > replayed {
                replayed = *replays;
                last.clear();
            }
            if !got.insert(id.clone()) {
                world.reach(Reached::DeliveredAgain);
                continue;
            }
            let Some(recorded) = by_id.get(id) else {
                continue;
            };
            let subject = recorded.event.subject.id();
            let before = last.get(&subject).copied();
            if !is_late {
                last.insert(subject, recorded.cursor);
            }
            // An attempt under a lost lease may arrive after a newer event.
            let is_of_company = matches!(recorded.event.subject, Subject::Company(_));
            let is_overtaken = before > Some(recorded.cursor);
            world.check(!is_overtaken || is_of_company && *is_late, || {
                format!("{host} got {id} after {before:?}")
            });
        }
        // A later event of a company contains everything of an earlier one.
        let mut superseded = BTreeSet::new();
        let mut newest = HashMap::new();
        let companies = events.iter().filter(|it| it.event.name == COMPANY_UPDATED);
        for recorded in companies {
            let id = recorded.cursor.to_string();
            superseded.extend(newest.insert(recorded.event.subject.id(), id));
        }
        let mut missing = wanted.difference(&got);
        if wanted.difference(&got).any(|id| superseded.contains(id)) {
            world.reach(Reached::Superseded);
        }
        if !is_active {
            world.reach(Reached::Disabled);
        }
        let missing = missing.find(|id| !superseded.contains(*id));
        world.check(!is_active || missing.is_none(), || {
            format!("{host} never got {missing:?}")
        });
        let owed = world.deliveries().owed(&host);
        let mut owed = owed.intersection(&wanted);
        let owed = owed.find(|id| !superseded.contains(*id));
        world.check(!is_active || owed.is_none(), || {
            format!("{host} never got {owed:?} again")
        });
    }
}
