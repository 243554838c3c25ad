//! The clients: they push, import, hang up, and repeat.

use std::sync::Arc;

use domain::{
    catalogue::{Guard, MaxMissing, Patience},
    import::{Line, LineText, Receipt},
    posting::{Answer, Principal, PutPosting},
    usecase::{CatalogueOrder, ImportError, ImportOrder, Imports as _, Ingest as _, IngestError},
};
use kernel::{PostingId, PutOutcome, SourceIdentifier, testing::identifier};
use uuid::Uuid;

use crate::{
    book::Sent,
    integrations::{IDENTIFIERS, Integration, catalogue, may_use},
    process::Process,
    world::World,
};

/// The way on which something is sent.
#[derive(Clone, Copy)]
struct Way<'a> {
    /// To which process.
    process: &'a str,
    /// What keeps its order: the pushes to the process, or an import.
    channel: &'a str,
}

/// Notes that a client sends something about a posting, and gives it a number; or the number that it
/// had, if it is sent once more.
fn send(world: &World, to: &SourceIdentifier, way: Way<'_>, dry: bool) -> u64 {
    let mut book = world.book();
    let mut earlier = book.sent.iter().rev();
    let last = earlier.find(|(_, sent)| sent.identifier == *to && !sent.is_dry_run);
    let last = last.map(|(number, _)| *number);
    let erasures = book.erasures(to);
    if let Some(number) = last.filter(|_| !dry && world.dice.one_in(6))
        && let Some(sent) = book.sent.get_mut(&number)
    {
        sent.channels.push(way.channel.to_owned());
        sent.processes.push(way.process.to_owned());
        return number;
    }
    let number = world.number();
    let sent = Sent {
        identifier: to.clone(),
        channels: vec![way.channel.to_owned()],
        processes: vec![way.process.to_owned()],
        is_dry_run: dry,
        erasures,
    };
    book.sent.insert(number, sent);
    number
}

/// A push.
pub async fn push(world: Arc<World>, process: Arc<Process>, client: Integration) {
    let to = identifier(world.dice.pick::<&str>(client.identifiers));
    let name = &process.link.name;
    let is_dry_run = world.dice.one_in(15);
    let kind = world.dice.below(10);
    let (body, number) = match kind {
        0 => (r#"{"expiration": {"reason": "filled"}}"#.to_owned(), None),
        1 => (r#"{"expiration": null}"#.to_owned(), None),
        _ => {
            let way = Way {
                process: name,
                channel: name,
            };
            let number = send(&world, &to, way, is_dry_run);
            (client.body(number), Some(number))
        }
    };
    let by = Principal::new(client.id(), &client.prefixes());
    let new_id = PostingId::new(Uuid::now_v7());
    let put = PutPosting::parse(to.as_str(), body.as_bytes(), by, new_id).unwrap();
    let what = number.map_or_else(|| body.clone(), |number| number.to_string());
    world.note(format!(
        "client {} sends {what} for {to} to {name}",
        client.number
    ));
    let answer = if is_dry_run {
        process.answer(process.lanes.dry_run(put)).await
    } else {
        process.answer(process.lanes.put(put)).await
    };
    match answer {
        None => world.note(format!("{what} for {to} gets no answer")),
        Some(Err(error)) => {
            world.note(format!("{what} for {to}: {error}"));
            let is_rejected = matches!(error, IngestError::Rejected(_));
            world.check(is_rejected || !world.is_calm, || {
                format!("{what} for {to}: {error}, and nothing went wrong")
            });
        }
        Some(Ok(answer)) => acknowledged(&world, &to, number.filter(|_| !is_dry_run), &answer),
    }
}

fn acknowledged(world: &World, to: &SourceIdentifier, number: Option<u64>, answer: &Answer) {
    world.note(format!("{number:?} for {to}: {}", answer.outcome));
    if let Some(number) = number {
        let stands = world.book().stands(number);
        world.check(stands, || {
            format!("{number} for {to} was acknowledged, and is lost")
        });
    }
}

/// The lines of an import, with their numbers.
fn lines(world: &World, client: Integration, listed: &[&str], way: Way<'_>) -> Vec<(u64, Line)> {
    let mut lines = Vec::new();
    for (at, to) in listed.iter().enumerate() {
        let (to, is_own) = (identifier(to), client.prefixes().permit(&identifier(to)));
        let number = if is_own {
            send(world, &to, way, false)
        } else {
            world.number()
        };
        let payload = client.body(number).replace('\n', " ");
        let text = format!(r#"{{"id": "{to}", "payload": {payload}}}"#);
        let line = Line {
            number: u64::try_from(at).unwrap_or_default() + 1,
            text: LineText::Whole(text.into_bytes()),
        };
        lines.push((number, line));
    }
    lines
}

fn order(client: Integration, is_catalogue: bool, max_missing: u8) -> ImportOrder {
    ImportOrder {
        client: client.id(),
        dry_run: false,
        strict: false,
        catalogue: is_catalogue.then(|| CatalogueOrder {
            name: catalogue(),
            guard: Guard {
                max_missing: MaxMissing::new(max_missing).unwrap(),
                ..Guard::default()
            },
            patience: Patience::default(),
            prefixes: client.prefixes(),
        }),
    }
}

/// An import, whose client may hang up.
pub async fn import(world: Arc<World>, process: Arc<Process>, client: Integration) {
    let channel = format!("import-{}", world.number());
    let count = 1 + world.dice.below(6);
    let foreign = world.dice.one_in(4);
    let from = if foreign {
        &IDENTIFIERS[..]
    } else {
        client.identifiers
    };
    let listed: Vec<_> = (0..count).map(|_| *world.dice.pick(from)).collect();
    let is_catalogue = world.dice.one_in(2);
    let order = order(client, is_catalogue, *world.dice.pick(&[30, 100]));
    let name = &process.link.name;
    world.note(format!(
        "client {} imports {listed:?} at {name}, {channel}",
        client.number
    ));
    let hangs_up = world.dice.one_in(6);
    let way = Way {
        process: name,
        channel: &channel,
    };
    let lines = lines(&world, client, &listed, way);
    let done = process.answer(run(&process, client, order, &lines, hangs_up));
    let Some(done) = done.await else {
        return world.note(format!("{channel} gets no answer"));
    };
    let (receipts, end) = match done {
        Err(error) => return world.note(format!("{channel}: {error}")),
        Ok(done) => done,
    };
    world.note(format!("{channel}: {end:?}, {} receipts", receipts.len()));
    for (receipt, (number, _)) in receipts.iter().zip(&lines) {
        let to = identifier(listed[usize::try_from(receipt.line - 1).unwrap_or_default()]);
        match &receipt.result {
            Ok(answer) => {
                let is_told = answer.outcome != PutOutcome::Expired;
                acknowledged(&world, &to, is_told.then_some(*number), answer);
            }
            Err(error) => world.note(format!("{number} for {to}: {error}")),
        }
        world.check(receipt.result.is_err() || may_use(client.id(), &to), || {
            format!("{channel}: {to} is outside of the fence")
        });
    }
    world.check(hangs_up || receipts.len() == lines.len(), || {
        format!(
            "{channel}: {} lines, {} receipts",
            lines.len(),
            receipts.len()
        )
    });
}

type Imported = Result<(Vec<Receipt>, Option<Result<(), ImportError>>), ImportError>;

async fn run(
    process: &Process,
    client: Integration,
    order: ImportOrder,
    lines: &[(u64, Line)],
    hangs_up: bool,
) -> Imported {
    let mut import = process.imports.begin(order).await?;
    let mut receipts = Vec::new();
    let mut taken = Ok(());
    for (_, line) in lines {
        if taken.is_ok() {
            let lines = vec![line.clone()];
            taken = import.take(lines, &client.prefixes(), &mut receipts).await;
        }
    }
    if hangs_up {
        return Ok((receipts, None));
    }
    let settled = import.settle(&mut receipts).await;
    let (_, end) = import.finish(taken.is_ok() && settled.is_ok()).await;
    // The lines that were not taken get no receipt.
    taken?;
    Ok((receipts, Some(end)))
}

/// Imports a whole catalogue twice, when nothing goes wrong: the second time changes nothing, and
/// what is open of it is what was listed.
pub async fn import_all(world: &Arc<World>, process: &Process, client: Integration) {
    let own: Vec<_> = (client.identifiers.iter())
        .copied()
        .filter(|_| !world.dice.one_in(3))
        .collect();
    let channel = format!("import-{}", world.number());
    let way = Way {
        process: &process.link.name,
        channel: &channel,
    };
    let lines = lines(world, client, &own, way);
    world.note(format!(
        "client {} imports all of {own:?}, {channel}",
        client.number
    ));
    for is_first in [true, false] {
        let done = run(process, client, order(client, true, 100), &lines, false).await;
        let Ok((receipts, Some(Ok(())))) = done else {
            return world.violated(format!("{channel}: {done:?}"));
        };
        for (receipt, (number, _)) in receipts.iter().zip(&lines) {
            let outcome = receipt.result.as_ref().map(|answer| answer.outcome);
            let is_fine = match &receipt.result {
                Ok(answer) => is_first || answer.outcome == PutOutcome::Unchanged,
                Err(_) => false,
            };
            world.check(is_fine, || {
                format!("{channel}, {is_first}: {number}: {outcome:?}")
            });
        }
    }
    let catalogues: &dyn domain::catalogue::Catalogues = &*world.memory;
    let found = catalogues
        .find(client.id(), &catalogue(), world.now())
        .await;
    let Some(found) = found.unwrap() else {
        return world.violated(format!("{channel}: there is no catalogue"));
    };
    let open = catalogues.open_postings(found.id, None, usize::MAX).await;
    for posting in open.unwrap() {
        let is_listed = own.contains(&posting.identifier.as_str());
        world.check(is_listed, || {
            format!("{channel}: {} is open, and not listed", posting.identifier)
        });
    }
}
