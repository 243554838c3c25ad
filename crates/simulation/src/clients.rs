use std::sync::Arc;

use domain::{
    authority::Principal,
    posting::{Answer, PutPosting},
    usecase::{Ingest as _, IngestError},
};
use kernel::{PostingId, SourceIdentifier, testing::identifier};
use tokio::time::Instant;
use uuid::Uuid;

use crate::{book::Sent, integrations::Integration, process::Process, world::World};
#[derive(Clone, Copy)]
pub struct Way<'a> {
    pub process: &'a str,
    pub channel: &'a str,
}

/// Records that a client sends a command. Returns the command's number, which a repetition keeps.
pub fn send(world: &World, to: &SourceIdentifier, way: Way<'_>, dry: bool) -> u64 {
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
        at: Instant::now(),
        channels: vec![way.channel.to_owned()],
        processes: vec![way.process.to_owned()],
        is_dry_run: dry,
        erasures,
    };
    book.sent.insert(number, sent);
    number
}

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

pub fn acknowledged(world: &World, to: &SourceIdentifier, number: Option<u64>, answer: &Answer) {
    world.note(format!("{number:?} for {to}: {}", answer.outcome));
    if let Some(number) = number {
        let stands = world.book().stands(number);
        world.check(stands, || {
            format!("{number} for {to} was acknowledged, and is lost")
        });
    }
}
