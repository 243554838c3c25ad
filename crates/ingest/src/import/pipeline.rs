//! The task of an import: lets lines be parsed and executed, and answers in order.

use std::{future::pending, pin::Pin, sync::Arc};

use domain::{
    import::{Ending, LineError, LineOptions, Summary},
    posting::Answer,
    store::Store,
    usecase::{ImportError, IngestError},
};
use futures_util::{
    StreamExt as _,
    stream::{FuturesOrdered, FuturesUnordered},
};
use kernel::SourceIdentifier;
use runtime::panics;
use time::OffsetDateTime;
use tokio::{sync::mpsc, task::JoinError, time::sleep_until};
use tokio_util::sync::CancellationToken;

use super::{
    catalogue::CatalogueRun,
    execute::{Command, Executor, Results, Shared},
    lease,
    ledger::Ledger,
    naming::{CompanyKey, Named, NamedCompanies},
    outage::{Outage, Verdict},
    parse::{Entry, Taken},
    ports::{ImportPorts, stopping},
    running::{Event, Order, PARSED_TOGETHER, Reply, Running},
};
use crate::keyed_queue::KeyedQueue;

const PARSES: usize = 4;

/// The largest number of commands in a batch.
pub(super) const BATCH: usize = 256;
/// The largest number of concurrent batches.
const BATCHES: usize = 32;
/// While at least this many batches run, only full batches start.
const AT_ONCE: usize = 2;

type Parse = Pin<Box<dyn Future<Output = Result<Vec<Entry>, JoinError>> + Send>>;
type Put = Pin<Box<dyn Future<Output = (Vec<Command>, Results)> + Send>>;

pub(super) struct Pipeline {
    ports: ImportPorts,
    options: LineOptions,
    executor: Executor,
    run: Option<CatalogueRun>,
    started_at: OffsetDateTime,
    stop: CancellationToken,
    orders: mpsc::UnboundedReceiver<Order>,
    events: mpsc::UnboundedSender<Event>,
    parses: FuturesOrdered<Parse>,
    puts: FuturesUnordered<Put>,
    /// Unanswered commands. Commands of one posting run one at a time.
    commands: KeyedQueue<SourceIdentifier, Command>,
    named: NamedCompanies,
    outage: Outage,
    ledger: Ledger,
    finish: Option<(Ending, Reply)>,
    ended: Option<ImportError>,
}

enum Step {
    Order(Option<Order>),
    Parsed(Vec<Entry>),
    Answered(Vec<Command>, Results),
    Again,
    End(ImportError),
}

impl Pipeline {
    pub fn new(
        ports: ImportPorts,
        options: LineOptions,
        dry_run: bool,
        run: Option<CatalogueRun>,
        started_at: OffsetDateTime,
        stop: CancellationToken,
        shared: Shared,
    ) -> (Self, Running) {
        let (give_orders, orders) = mpsc::unbounded_channel();
        let (events, see_events) = mpsc::unbounded_channel();
        let lease = run.as_ref().and_then(CatalogueRun::lease);
        let pipeline = Self {
            executor: Executor::new(ports.clone(), shared, options, dry_run, lease),
            ports,
            options,
            run,
            started_at,
            stop,
            orders,
            events,
            parses: FuturesOrdered::new(),
            puts: FuturesUnordered::new(),
            commands: KeyedQueue::default(),
            named: NamedCompanies::default(),
            outage: Outage::new(),
            ledger: Ledger::default(),
            finish: None,
            ended: None,
        };
        (pipeline, Running::new(give_orders, see_events))
    }

    pub async fn run(mut self) {
        loop {
            self.carry_out();
            if self.is_settled()
                && let Some((ending, reply)) = self.finish.take()
            {
                let result = self.close(ending).await;
                let _ = reply.send(result);
                return;
            }
            match self.step().await {
                Step::Order(Some(Order::Lines(taken))) => self.parse(taken),
                Step::Order(Some(Order::Finish(ending, reply))) => {
                    self.finish = Some((ending, reply));
                }
                Step::Order(None) => return self.abandon().await,
                Step::Parsed(entries) => self.sort_in(entries).await,
                Step::Answered(commands, answers) => self.settle(commands, answers),
                Step::Again => self.try_again(),
                Step::End(error) => self.end(error),
            }
        }
    }

    fn is_settled(&self) -> bool {
        self.parses.is_empty() && self.ledger.is_settled()
    }

    async fn step(&mut self) -> Step {
        let again = self.outage.again();
        let has_ended = self.ended.is_some();
        let may_parse = self.finish.is_none() && self.parses.len() < PARSES;
        let lost = self.run.as_ref().and_then(CatalogueRun::lost);
        let lost = async {
            match lost {
                Some(lost) => lost.cancelled().await,
                None => pending().await,
            }
        };
        tokio::select! {
            biased;
            () = self.stop.cancelled(), if !has_ended => Step::End(stopping()),
            () = lost, if !has_ended => Step::End(lease::lost()),
            Some((commands, answers)) = self.puts.next() => Step::Answered(commands, answers),
            Some(parsed) = self.parses.next() => match parsed {
                Ok(entries) => Step::Parsed(entries),
                // The runtime is shutting down: parsing does not panic.
                Err(_) => Step::End(stopping()),
            },
            () = async {
                match again {
                    Some(again) => sleep_until(again).await,
                    None => pending().await,
                }
            } => Step::Again,
            order = self.orders.recv(), if may_parse => Step::Order(order),
        }
    }

    fn parse(&mut self, first: Taken) {
        let mut count = first.lines.len();
        let mut taken = vec![first];
        while count < PARSED_TOGETHER && self.finish.is_none() {
            match self.orders.try_recv() {
                Ok(Order::Lines(more)) => {
                    count += more.lines.len();
                    taken.push(more);
                }
                Ok(Order::Finish(ending, reply)) => self.finish = Some((ending, reply)),
                Err(_) => break,
            }
        }
        if let (Some(run), Some(last)) = (&mut self.run, taken.last()) {
            run.prefixes = Arc::clone(&last.prefixes);
        }
        let parsed = self.executor.clone().parse(taken);
        self.parses.push_back(Box::pin(parsed));
    }

    async fn sort_in(&mut self, entries: Vec<Entry>) {
        let stored = Self::companies_of(&*self.ports.catalogues.store, &entries).await;
        let mut stored = stored.into_iter();
        for entry in entries {
            if let Some(run) = &mut self.run {
                match &entry.work {
                    Ok(work) => run.name(work.identifier()),
                    Err(_) => (entry.names.identifiers()).for_each(|it| run.name(&it)),
                }
            }
            let company = match (entry.company, &entry.work) {
                (Named::Company(company), _) => Some(company),
                (Named::OfPosting, Ok(work)) => {
                    let (posting, stored) = (work.identifier(), stored.next().flatten());
                    self.ledger.company_of(posting).or(stored)
                }
                _ => None,
            };
            let (line, id) = (entry.line, entry.names.id);
            let offset = self.ledger.add(line, id, company, entry.is_uncertain);
            match entry.work {
                Ok(mut work) => {
                    if let Some(company) = company {
                        work.leave_company(self.named.note(company, entry.claims));
                    }
                    let posting = work.identifier().clone();
                    let command = Command {
                        offset,
                        work,
                        company,
                        claims: entry.claims,
                        failing_since: None,
                        doubted: None,
                    };
                    self.commands.push(posting, command);
                }
                Err(error) => self.ledger.settle(offset, Err(error)),
            }
        }
        self.give_out();
    }

    /// Loads the company of the stored posting for each line that changes a company without giving
    /// its website, in the order of the lines. Such lines are rare, so most imports load nothing.
    /// While the store is unavailable, the companies are unknown, and the lines are treated like
    /// single pushes.
    async fn companies_of(store: &dyn Store, entries: &[Entry]) -> Vec<Option<CompanyKey>> {
        let postings = entries.iter().filter_map(|entry| match &entry.work {
            Ok(work) if entry.company == Named::OfPosting => Some(work.identifier().clone()),
            _ => None,
        });
        let postings: Vec<_> = postings.collect();
        if postings.is_empty() {
            return Vec::new();
        }
        let known = panics::caught(store.load(&postings, &[])).await;
        let known = known.unwrap_or_default();
        let company = |identifier: &SourceIdentifier| {
            let posting = known.postings.get(identifier)?;
            Some(CompanyKey::of(posting.company_id))
        };
        postings.iter().map(company).collect()
    }

    fn carry_out(&mut self) {
        if let Some(error) = &self.ended {
            let error = as_line_error(error);
            return self.give_up(&error);
        }
        while !self.outage.is_away() && self.puts.len() < BATCHES {
            let fewest = if self.puts.len() < AT_ONCE { 1 } else { BATCH };
            if self.commands.ready() < fewest {
                return;
            }
            let commands = self.commands.take(BATCH);
            self.put(commands);
        }
    }

    fn try_again(&mut self) {
        let mut commands = self.outage.take().into_iter();
        while !commands.as_slice().is_empty() {
            let batch = commands.by_ref().take(BATCH).collect();
            self.put(batch);
        }
    }

    fn put(&self, commands: Vec<Command>) {
        let put = self.executor.clone().run(commands);
        self.puts.push(Box::pin(put));
    }

    fn settle(&mut self, commands: Vec<Command>, answers: Results) {
        let is_any_answered = answers.iter().any(is_answer);
        if is_any_answered {
            self.outage.note_answer();
        }
        let (mut failed, mut over) = (Vec::new(), None);
        for (mut command, answer) in commands.into_iter().zip(answers) {
            if let Err(LineError::Ingest(IngestError::InDoubt { answer, .. })) = &answer {
                command.doubted = Some(answer.clone());
            }
            if is_answer(&answer) || self.ended.is_some() {
                self.answer(&command, answer);
                continue;
            }
            match self.outage.judge(&mut command) {
                Verdict::Again => failed.push(command),
                Verdict::GivenUp => self.answer(&command, answer),
                Verdict::TimedOut => {
                    over = match &answer {
                        Err(LineError::Ingest(error)) => Some(error.clone()),
                        _ => None,
                    };
                    self.answer(&command, answer);
                }
            }
        }
        self.outage.keep(failed, is_any_answered);
        self.give_out();
        if let Some(error) = over {
            self.end(error.into());
        }
    }

    fn answer(&mut self, command: &Command, answer: Result<Answer, LineError>) {
        let answer = match &command.doubted {
            Some(doubted) => answer.map(|answer| answer.after_doubt(doubted)),
            None => answer,
        };
        self.ledger.settle(command.offset, answer);
        self.commands.end(command.work.identifier());
    }

    /// Ends the import early: answers the lines in progress, and begins no others.
    fn end(&mut self, error: ImportError) {
        tracing::warn!(client_id = %self.options.client, %error, "an import has ended early");
        self.give_up(&as_line_error(&error));
        let _ = self.events.send(Event::Ended(error.clone()));
        self.ended = Some(error);
    }

    fn give_up(&mut self, error: &IngestError) {
        for command in self.commands.drain().chain(self.outage.take()) {
            let result = Err(error.clone().into());
            self.ledger.settle(command.offset, result);
        }
        self.give_out();
    }

    fn give_out(&mut self) {
        let receipts = self.ledger.take();
        if !receipts.is_empty() {
            let _ = self.events.send(Event::Receipts(receipts));
        }
    }

    /// Ends an import whose request was dropped, when nothing is in progress any more. Then another
    /// import of the catalogue may begin.
    async fn abandon(mut self) {
        tracing::info!(client_id = %self.options.client, "the request of an import was dropped");
        let gone = IngestError::Unavailable("the request was dropped".to_owned());
        self.ended = self.ended.or_else(|| Some(gone.clone().into()));
        self.give_up(&gone);
        while let Some((commands, answers)) = self.puts.next().await {
            self.settle(commands, answers);
        }
        // An error is logged; then the lease expires.
        let _ = self.close(Ending::Broken).await;
    }

    async fn close(self, ending: Ending) -> (Summary, Result<(), ImportError>) {
        let complete = ending != Ending::Broken && self.ended.is_none();
        let mut summary = Summary {
            counts: self.ledger.counts(),
            missing: None,
            changes: complete.then(|| self.ledger.changes()),
            complete,
        };
        let mut result = self.ended.map_or(Ok(()), Err);
        if let Some(run) = self.run {
            let is_proven = ending == Ending::Proven;
            let ended = run.end(self.started_at, &mut summary, is_proven, &self.stop);
            result = result.and(ended.await);
            summary.changes = summary.changes.filter(|_| summary.complete);
        }
        (summary, result)
    }
}

const fn is_answer(answer: &Result<Answer, LineError>) -> bool {
    !matches!(
        answer,
        Err(LineError::Ingest(
            IngestError::Unavailable(_) | IngestError::InDoubt { .. } | IngestError::Overloaded
        ))
    )
}

fn as_line_error(error: &ImportError) -> IngestError {
    match error {
        ImportError::Failed(error) => error.clone(),
        other => IngestError::Unavailable(other.to_string()),
    }
}
