use std::sync::Arc;

use domain::{
    catalogue::CatalogueLease,
    import::{LineError, LineOptions},
    posting::Answer,
    usecase::IngestError,
};
use runtime::panics;
use tokio::{
    sync::Semaphore,
    task::{JoinError, spawn_blocking},
    time::Instant,
};

use super::{
    cache::{Known, LineCache},
    ledger::Offset,
    naming::{Claims, CompanyKey},
    parse::{Entry, Taken, Work, parse, size},
    ports::ImportPorts,
};

/// Parsing this many bytes takes less time than handing them to another thread.
const FEW_BYTES: usize = 4 << 10;

pub(super) struct Command {
    pub offset: Offset,
    pub work: Work,
    pub company: Option<CompanyKey>,
    pub claims: Claims,
    pub failing_since: Option<Instant>,
    /// The answer that applies if the commit in doubt succeeded.
    pub doubted: Option<Box<Answer>>,
}

pub(super) type Results = Vec<Result<Answer, LineError>>;

#[derive(Clone)]
pub(super) struct Shared {
    pub parsers: Arc<Semaphore>,
    pub cache: Arc<LineCache>,
}

#[derive(Clone)]
pub(super) struct Executor {
    ports: ImportPorts,
    shared: Shared,
    options: LineOptions,
    dry_run: bool,
    lease: Option<CatalogueLease>,
}

impl Executor {
    pub const fn new(
        ports: ImportPorts,
        shared: Shared,
        options: LineOptions,
        dry_run: bool,
        lease: Option<CatalogueLease>,
    ) -> Self {
        Self {
            ports,
            shared,
            options,
            dry_run,
            lease,
        }
    }

    pub async fn parse(self, taken: Vec<Taken>) -> Result<Vec<Entry>, JoinError> {
        let lines = taken.iter().flat_map(|taken| &taken.lines);
        let bytes = lines.map(size).sum();
        let (options, cache) = (self.options, Arc::clone(&self.shared.cache));
        self.compute(bytes, move || parse(taken, &options, &cache))
            .await
    }

    async fn compute<T: Send + 'static>(
        &self,
        bytes: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, JoinError> {
        if bytes <= FEW_BYTES {
            return Ok(work());
        }
        // The semaphore is never closed.
        let turn = Arc::clone(&self.shared.parsers).acquire_owned().await;
        // The thread returns the permit with the result, so the permit is released only when the
        // thread is free. Otherwise the pool would start another thread for the next permit.
        let computed = spawn_blocking(move || (work(), turn));
        computed.await.map(|(computed, _turn)| computed)
    }

    pub async fn run(self, mut commands: Vec<Command>) -> (Vec<Command>, Results) {
        let mut results = self.repeat(&commands).await;
        self.parse_cached(&mut commands, &mut results).await;
        let puts = commands.iter().zip(&results);
        let puts = puts.filter_map(|(command, result)| match (&command.work, result) {
            (Work::Parsed(put, _), None) => Some(Arc::clone(put)),
            _ => None,
        });
        let puts: Vec<_> = puts.collect();
        if !puts.is_empty() {
            let ingest = &self.ports.ingest;
            let answers = ingest.put_all(puts.clone(), self.dry_run, self.lease).await;
            let answers = puts.iter().zip(answers).map(|(put, answer)| {
                let answer = answer.map(|answer| answer.of_retry(put));
                answer.map_err(LineError::from)
            });
            let open = results.iter_mut().filter(|result| result.is_none());
            for (result, answer) in open.zip(answers) {
                *result = Some(answer);
            }
            if !self.dry_run {
                self.keep(&commands, &results);
            }
        }
        let lost = || Err(IngestError::Broken("a line got no answer".to_owned()).into());
        let results = results.into_iter();
        (
            commands,
            results.map(|it| it.unwrap_or_else(lost)).collect(),
        )
    }

    async fn repeat(&self, commands: &[Command]) -> Vec<Option<Result<Answer, LineError>>> {
        let cached = |command: &Command| match &command.work {
            Work::Cached(cached) => Some(Arc::clone(cached)),
            Work::Parsed(..) => None,
        };
        let cached: Vec<_> = commands.iter().map(cached).collect();
        let identifiers = cached.iter().flatten();
        let identifiers: Vec<_> = identifiers.map(|one| one.identifier.clone()).collect();
        let known = match &identifiers[..] {
            [] => None,
            // If this fails, the lanes load the postings, and report the failure.
            some => panics::caught(self.ports.catalogues.store.repeat_answers(some))
                .await
                .ok(),
        };
        let Some(mut known) = known else {
            return cached.iter().map(|_| None).collect();
        };
        let (catalogue, lifetime) = (self.options.catalogue, self.ports.lifetime);
        let now = (self.ports.catalogues.clock)();
        let answers = cached.iter().map(|cached| {
            let cached = cached.as_ref()?;
            let (identifier, line) = (&cached.identifier, &cached.known);
            let (basis, notices) = (line.basis, &line.notices);
            let answer = known.remove(identifier)?;
            answer
                .repeat(catalogue, basis, notices, lifetime, now)
                .map(|answer| {
                    Ok(Answer {
                        fields: line.fields,
                        ..answer
                    })
                })
        });
        answers.collect()
    }

    async fn parse_cached(
        &self,
        commands: &mut [Command],
        results: &mut [Option<Result<Answer, LineError>>],
    ) {
        let open = commands.iter_mut().zip(results);
        let open = open.filter(|(_, result)| result.is_none());
        let (mut places, mut lines) = (Vec::new(), Vec::new());
        for (command, result) in open {
            if let Work::Cached(cached) = &command.work {
                lines.push(Arc::clone(cached));
                places.push((command, result));
            }
        }
        if lines.is_empty() {
            return;
        }
        let (options, bytes) = (self.options, lines.iter().map(|line| line.size()).sum());
        let parsed = self.compute(bytes, move || {
            let parsed = lines.iter().map(|line| line.parse(&options));
            parsed.collect::<Vec<_>>()
        });
        // The runtime is shutting down: parsing does not panic.
        let Ok(parsed) = parsed.await else { return };
        for ((command, result), work) in places.into_iter().zip(parsed) {
            match work {
                Ok(work) => command.work = work,
                Err(error) => *result = Some(Err(error)),
            }
        }
    }

    fn keep(&self, commands: &[Command], results: &[Option<Result<Answer, LineError>>]) {
        let lines = commands.iter().zip(results);
        let lines = lines.filter_map(|(command, result)| match (&command.work, result) {
            (Work::Parsed(_, digest), Some(Ok(answer))) => {
                let known = answer.basis.map(|basis| Known {
                    basis,
                    company: command.company,
                    claims: command.claims,
                    notices: answer.notices.as_slice().into(),
                    fields: answer.fields,
                });
                digest.zip(known)
            }
            _ => None,
        });
        self.shared.cache.keep(lines);
    }
}
