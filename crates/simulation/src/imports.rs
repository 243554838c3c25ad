//! The clients' imports, whose bodies end in many ways, and corrections of catalogues.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use domain::{
    catalogue::{Catalogue, Catalogues, Guard, MaxMissing, Patience, Undone},
    import::{Ending, Line, LineText, Proof, Receipt, Summary},
    posting::{Handling, Posting},
    store::Reads,
    usecase::{
        CatalogueCorrections as _, CatalogueError, CatalogueOrder, CorrectionOrder, ImportError,
        ImportOrder, Imports as _,
    },
};
use kernel::{
    Prefixes, PutOutcome, SourceIdentifier, Status,
    testing::{by_ann, identifier},
};
use tokio::time::sleep;

use crate::{
    catalogues::Crawl,
    clients::{Way, acknowledged, send},
    integrations::{IDENTIFIERS, Integration, catalogue, may_use},
    process::Process,
    reached::Reached,
    world::World,
};
struct Body {
    channel: String,
    /// The lines. A number is missing if the line only expires its posting.
    lines: Vec<(SourceIdentifier, Option<u64>)>,
    texts: Vec<Line>,
    /// The number of lines that the last line states.
    end: Option<u64>,
    requires_end: bool,
    hangs_up: bool,
    /// The longest pause between two parts, in milliseconds.
    pause: u64,
}

impl Body {
    fn new(world: &World, process: &Process, client: Integration, listed: &[&str]) -> Self {
        let channel = format!("import-{}", world.number());
        let way = Way {
            process: &process.link.name,
            channel: &channel,
        };
        let (mut lines, mut texts) = (Vec::new(), Vec::new());
        for (at, to) in (1..).zip(listed) {
            let to = identifier(to);
            let number = if client.prefixes().permit(&to) {
                send(world, &to, way, false)
            } else {
                world.number()
            };
            let payload = client.body(number).replace('\n', " ");
            texts.push(line(
                at,
                format!(r#"{{"id": "{to}", "payload": {payload}}}"#),
            ));
            lines.push((to, Some(number)));
        }
        Self {
            channel,
            end: Some(lines.len() as u64),
            lines,
            texts,
            requires_end: true,
            hangs_up: false,
            pause: 0,
        }
    }

    /// Expires a posting, damages lines, shortens the body, or makes the client hang up.
    fn spoil(&mut self, world: &World) {
        let dice = &world.dice;
        for (at, (to, number)) in (1..).zip(&mut self.lines) {
            if dice.one_in(10) {
                let expiration = dice.pick(&["{}", r#"{"reason": "filled"}"#]);
                let payload = format!(r#"{{"expiration": {expiration}}}"#);
                let text = format!(r#"{{"id": "{to}", "payload": {payload}}}"#);
                (self.texts[at - 1], *number) = (line(at as u64, text), None);
            }
            if dice.one_in(8) {
                let text = match dice.below(4) {
                    0 => format!(r#"{{"id": "{to}", "payload": {{"salary_min": NaN}}}}"#),
                    1 => format!(r#"{{"id": "{to}", "payload": {{"title": "cut of"#),
                    2 => format!(r#"{{"id": "{to}", "payload": {{}}}}{{"id": "{to}"}}"#),
                    _ => format!("{UNREAD}{{}}, 'id': {to}"),
                };
                (self.texts[at - 1], *number) = (line(at as u64, text), None);
            }
        }
        if dice.one_in(6) {
            let sent = usize::try_from(dice.below(self.lines.len() as u64)).unwrap_or_default();
            self.lines.truncate(sent);
            self.texts.truncate(sent);
        }
        self.requires_end = dice.one_in(2);
        self.end = self.end.filter(|_| !dice.one_in(3));
        self.hangs_up = dice.one_in(8);
        self.pause = *dice.pick(&[0, 0, 0, 8_000]);
    }

    /// Whether the import states that it is complete, if its options require that.
    fn is_whole(&self) -> bool {
        let sent = self.lines.len() as u64;
        !self.hangs_up && self.end.map_or(!self.requires_end, |end| end == sent)
    }

    /// Sends the body as the HTTP adapter does.
    async fn send(
        &self,
        world: &World,
        process: &Process,
        client: Integration,
        options: Option<Options>,
    ) -> Imported {
        let prefixes = client.prefixes();
        if let Some(Options { guard, misses }) = options {
            let lines = self.lines.iter().zip(&self.texts);
            // An identifier of another client may be a misspelt identifier of this client.
            let (unread, named): (Vec<_>, Vec<_>) =
                lines.partition(|((to, _), text)| is_unread(text) || !prefixes.permit(to));
            let of = |lines: &[(&(SourceIdentifier, _), _)]| -> BTreeSet<_> {
                let listed = lines.iter().map(|((to, _), _)| to);
                listed.filter(|to| prefixes.permit(to)).cloned().collect()
            };
            let (has_unread, unread, named) = (!unread.is_empty(), of(&unread), of(&named));
            if has_unread {
                world.reach(Reached::UnreadLine);
            }
            let crawl = Crawl {
                channel: self.channel.clone(),
                listed: unread.union(&named).cloned().collect(),
                unread: unread.difference(&named).cloned().collect(),
                has_unread,
                guard,
                misses,
                is_whole: self.is_whole(),
                proves_none: self.end == Some(0) && self.lines.is_empty(),
            };
            let name = &process.link.name;
            let beginning = || (name.clone(), client.id(), (process.clock)());
            while !world.catalogues().begin(beginning(), &crawl) {
                sleep(Duration::from_millis(1)).await;
            }
        }
        let order = ImportOrder {
            client: client.id(),
            dry_run: false,
            handling: Handling::Usual,
            catalogue: options.map(|options| CatalogueOrder {
                name: catalogue(),
                guard: options.guard,
                patience: Patience::new(options.misses).unwrap(),
                prefixes: client.prefixes(),
            }),
        };
        let mut import = process.imports.begin(order).await?;
        let (mut receipts, mut proof) = (Vec::new(), Proof::default());
        let (mut taken, mut proven) = (Ok(()), Ok(()));
        let end = self
            .end
            .map(|end| format!(r#"{{"end": {{"lines": {end}}}}}"#));
        let end = end.map(|end| line(self.lines.len() as u64 + 1, end));
        let texts: Vec<_> = self.texts.iter().cloned().chain(end).collect();
        for lines in texts.chunks(2) {
            if self.pause > 0 {
                sleep(world.dice.millis(0, self.pause)).await;
            }
            if taken.is_ok() && proven.is_ok() {
                let mut lines = lines.to_vec();
                proven = proof.note(&mut lines);
                taken = import.take(lines, &prefixes, &mut receipts).await;
            }
        }
        if self.hangs_up {
            return Ok((receipts, None));
        }
        let settled = import.settle(&mut receipts).await;
        let proven = proven.and_then(|()| proof.finish(self.requires_end));
        let ending = match proven {
            Ok(ending) if taken.is_ok() && settled.is_ok() => ending,
            _ => Ending::Broken,
        };
        let (summary, end) = import.finish(ending).await;
        // Lines that were not taken get no receipt.
        taken?;
        Ok((receipts, Some(end.map(|()| summary))))
    }
}

type Imported = Result<(Vec<Receipt>, Option<Result<Summary, ImportError>>), ImportError>;

const UNREAD: &str = r#"{"payload": "#;

fn is_unread(line: &Line) -> bool {
    matches!(&line.text, LineText::Whole(text) if text.starts_with(UNREAD.as_bytes()))
}

fn line(number: u64, text: String) -> Line {
    Line {
        number,
        text: LineText::Whole(text.into_bytes()),
    }
}
#[derive(Clone, Copy, Debug)]
struct Options {
    guard: Guard,
    misses: u8,
}

impl Options {
    fn new(max_missing: u8, min_missing: u64, misses: u8) -> Self {
        let max_missing = MaxMissing::new(max_missing).unwrap();
        Self {
            guard: Guard {
                max_missing,
                min_missing,
                ..Guard::default()
            },
            misses,
        }
    }
}

pub async fn imports(world: Arc<World>, process: Arc<Process>, client: Integration) {
    for _ in 0..=world.dice.below(4) {
        import(&world, &process, client).await;
        sleep(world.dice.millis(0, 2_000)).await;
    }
}

/// Runs an import, which may be undone or released afterwards.
async fn import(world: &Arc<World>, process: &Arc<Process>, client: Integration) {
    let dice = &world.dice;
    let foreign = dice.one_in(4);
    let from = if foreign {
        &IDENTIFIERS[..]
    } else {
        client.identifiers
    };
    let options = (!dice.one_in(3)).then(|| {
        let (most, few) = (dice.pick(&[30, 50, 100]), dice.pick(&[0, 1, 20]));
        Options::new(*most, *few, *dice.pick(&[1, 1, 2, 3]))
    });
    // A catalogue that lists almost everything would rarely miss a posting.
    let most = if options.is_some() { 3 } else { 6 };
    let listed: Vec<_> = (0..=dice.below(most)).map(|_| *dice.pick(from)).collect();
    let mut body = Body::new(world, process, client, &listed);
    body.spoil(world);
    let (channel, is_whole) = (&body.channel, body.is_whole());
    world.note(format!(
        "client {} imports {} of {listed:?} at {}, {channel}, whole: {is_whole}, {options:?}",
        client.number,
        body.lines.len(),
        process.link.name,
    ));
    let sent = body.send(world, process, client, options);
    let done = process.answer_at_risk(sent).await;
    let (receipts, end) = match done {
        None => return world.note(format!("{channel} gets no answer")),
        Some(Err(error)) => return world.note(format!("{channel}: {error}")),
        Some(Ok(done)) => done,
    };
    world.note(format!("{channel}: {end:?}, {} receipts", receipts.len()));
    for (receipt, (to, number)) in receipts.iter().zip(&body.lines) {
        match &receipt.result {
            Ok(answer) => acknowledged(world, to, *number, answer),
            Err(error) => world.note(format!("{number:?} for {to}: {error}")),
        }
        world.check(receipt.result.is_err() || may_use(client.id(), to), || {
            format!("{channel}: {to} is outside of the fence")
        });
    }
    let all = body.lines.len();
    world.check(body.hangs_up || receipts.len() == all, || {
        format!("{channel}: {all} lines, {} receipts", receipts.len())
    });
    let has_missing = |summary: Summary| {
        let missing = summary.missing;
        missing.is_some_and(|it| it.expired > 0 || it.held.is_some())
    };
    if end.is_some_and(|end| end.is_ok_and(has_missing)) && !world.dice.one_in(3) {
        sleep(world.dice.millis(0, 4_000)).await;
        correct(Arc::clone(world), Arc::clone(process), client).await;
    }
}

fn correction_of(client: Integration) -> CorrectionOrder {
    CorrectionOrder {
        client: client.id(),
        name: catalogue(),
        prefixes: client.prefixes(),
        by: None,
    }
}

pub async fn correct(world: Arc<World>, process: Arc<Process>, client: Integration) {
    let mut order = correction_of(client);
    if world.dice.one_in(2) {
        order.prefixes = Prefixes::ALL;
        order.by = Some(by_ann(world.number().into()));
    }
    let who = if order.by.is_some() {
        "an operator"
    } else {
        "the client"
    };
    let (number, name) = (client.number, &process.link.name);
    let corrections = process.imports.corrections();
    let (what, done) = if world.dice.one_in(2) {
        let what = format!("{who} releases for {number} at {name}");
        world.note(&what);
        let released = process.answer_at_risk(corrections.release(order)).await;
        (what, released.map(|it| it.map(|it| format!("{it:?}"))))
    } else {
        let what = format!("{who} undoes for {number} at {name}");
        world.note(&what);
        let undone = process.answer_at_risk(corrections.undo(order)).await;
        (what, undone.map(|it| it.map(|it| format!("{it:?}"))))
    };
    world.note(format!("{what}: {done:?}"));
    let may_be = matches!(
        done,
        None | Some(Ok(_) | Err(CatalogueError::NotFound | CatalogueError::Running(_)))
    );
    world.check(may_be || !world.is_calm, || {
        format!("{what}: {done:?}, and nothing went wrong")
    });
}

pub struct Whole {
    client: Integration,
    options: Options,
    body: Body,
}

impl Whole {
    pub async fn import(world: &World, process: &Process, client: Integration) -> Self {
        let own = client.identifiers.iter().copied();
        let own: Vec<_> = own.filter(|_| !world.dice.one_in(3)).collect();
        let body = Body::new(world, process, client, &own);
        let (channel, number) = (&body.channel, client.number);
        world.note(format!("client {number} imports all of {own:?}, {channel}"));
        let whole = Self {
            client,
            options: Options::new(100, 0, *world.dice.pick(&[1, 2])),
            body,
        };
        whole.send(world, process, true).await;
        whole
    }

    async fn send(&self, world: &World, process: &Process, is_first: bool) {
        let body = &self.body;
        let sent = body.send(world, process, self.client, Some(self.options));
        let done = sent.await;
        let Ok((receipts, Some(Ok(_)))) = done else {
            return world.violated(format!("{}: {done:?}", body.channel));
        };
        for (receipt, (to, number)) in receipts.iter().zip(&body.lines) {
            let outcome = receipt.result.as_ref().map(|answer| answer.outcome);
            let is_fine = outcome.is_ok_and(|it| is_first || it == PutOutcome::Unchanged);
            world.check(is_fine, || {
                format!(
                    "{}, {is_first}: {number:?} for {to}: {outcome:?}",
                    body.channel
                )
            });
        }
    }

    /// Checks that no listed posting is written, and no other posting of the catalogue is open.
    pub async fn import_again(&self, world: &World, process: &Process) {
        let before = postings(world).await;
        self.send(world, process, false).await;
        let listed = |to: &_| self.body.lines.iter().any(|(listed, _)| listed == to);
        let catalogue = self.found(world).await.map(|found| found.id);
        for (was, is) in before.iter().zip(postings(world).await) {
            let name = &is.source_identifier;
            let is_dropped = is.catalogue == catalogue && !listed(name);
            // A posting whose company was renamed since is judged again once it is sent. The hold
            // on content that is no ad ends by itself.
            let hold = |it: &Posting| it.shown.as_ref().and_then(|shown| shown.held.clone());
            let seen = |it: &Posting| (it.expire_at, it.enriched_hash, hold(it));
            let is_written = was.version != is.version && seen(was) == seen(&is);
            world.check(is_dropped || !is_written, || {
                format!("{name} was written, and nothing is new")
            });
            world.check(!is_dropped || !is.is_open(), || {
                format!("{name} is open, and not listed")
            });
            let is_closed = is.status() == Status::Expired && !is.is_moderated();
            world.check(!(listed(name) && is_closed), || {
                format!("{name} is listed, and expired")
            });
        }
    }

    pub async fn undo(&self, world: &World, process: &Process) {
        let undo = process.imports.corrections();
        let undone = undo.undo(correction_of(self.client)).await;
        let again = undo.undo(correction_of(self.client)).await;
        world.check(undone.is_ok() && again == Ok(Undone::default()), || {
            format!("{}: {undone:?}, then {again:?}", self.body.channel)
        });
        let is_running = self.found(world).await.is_some_and(|it| it.is_running);
        world.check(!is_running, || "an undo keeps its lease".to_owned());
    }

    async fn found(&self, world: &World) -> Option<Catalogue> {
        let (catalogues, name): (&dyn Catalogues, _) = (&*world.memory, catalogue());
        let found = catalogues.find(self.client.id(), &name, world.now());
        found.await.unwrap()
    }
}

async fn postings(world: &World) -> Vec<Posting> {
    let identifiers = IDENTIFIERS.map(identifier);
    let found = Reads::load(&*world.memory, &identifiers, &[]).await;
    let mut postings: Vec<_> = found.unwrap().postings.into_values().collect();
    postings.sort_by(|one, other| one.source_identifier.cmp(&other.source_identifier));
    postings
}
