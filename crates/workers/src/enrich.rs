mod failed;

use std::{
    sync::{Arc, atomic::Ordering},
    time::{Duration, Instant},
};

use async_trait::async_trait;
use domain::{
    posting::{ContentHash, ENRICH, Enrichment, Lifetime},
    store::Store,
    usecase::{self, Assignment, Outcome},
};
use enrichment::{EnrichError, Enricher, EnrichmentInput, StopFlag};
use futures_util::{StreamExt as _, stream};
use kernel::{
    PostingId, SourceIdentifier, StoreError,
    outbox::{ClaimToken, Claimed, Queue},
    trace::{NewSpan, Span, SpanRole, TraceParent},
};
use runtime::{Floor, Loops, decide_again, panics};
use tokio::{sync::oneshot, task::JoinError, time::timeout};
use tokio_util::{sync::CancellationToken, task::AbortOnDropHandle};

use super::{
    metrics,
    model_breaker::Permit,
    poll::{self, Handler},
    split::SplitBatch,
    tasks::{KindHandler, Tasks},
};

/// How long to retry recording an outcome after conflicts, before the task is postponed.
const CONFLICTS: Duration = Duration::from_millis(500);

struct Enrichments {
    tasks: Tasks,
}

pub(super) const HANDLER: KindHandler = KindHandler {
    kinds: &[ENRICH.kind()],
    start,
};

fn start(tasks: &Tasks, loops: &mut Loops) {
    let handler = Arc::new(Enrichments {
        tasks: tasks.clone(),
    });
    for _ in 0..tasks.settings().enrich_loops.max(1) {
        let (tasks, handler) = (tasks.clone(), Arc::clone(&handler));
        loops.spawn(|stop| poll::run(tasks, handler, stop));
    }
}

#[async_trait]
impl Handler for Enrichments {
    type Permit = Permit;

    fn queue(&self) -> Queue {
        ENRICH
    }

    fn most(&self) -> usize {
        self.tasks.settings().claim_for_enrichment
    }

    fn floor(&self) -> Floor {
        // An enrichment costs about as much as a push. Smaller batches would cost more commits.
        Floor {
            batch: 16,
            a_second: 200,
        }
    }

    fn is_shared_queue(&self) -> bool {
        self.tasks.settings().enrich_loops > 1
    }

    async fn ready(&self) -> Permit {
        self.tasks.parts.enriching.breaker.permit().await
    }

    async fn handle(&self, tasks: &[Claimed], stop: &CancellationToken) -> Result<(), StoreError> {
        let assignments = self.assignments(tasks).await?;
        let results: Vec<_> = stream::iter(assignments)
            .map(|assignment| {
                let task = find(tasks, assignment.token);
                self.carry_out(assignment, task.and_then(|task| task.trace), stop)
            })
            .buffer_unordered(self.tasks.settings().enrich_at_once.max(1))
            .collect()
            .await;

        let mut outcomes = Vec::with_capacity(results.len());
        let mut failures = Vec::new();
        let mut given_back = Vec::new();
        for result in results {
            match result {
                Done::Outcome(outcome) => outcomes.push(*outcome),
                Done::Failure(failed) => failures.push(failed),
                Done::NotBegun(token) => given_back.push(token),
            }
        }
        self.tasks
            .give_back(&given_back, time::Duration::ZERO)
            .await;
        if !outcomes.is_empty() {
            self.record(tasks, &outcomes).await?;
        }
        let mut split = SplitBatch::new(&self.tasks, failures.len());
        for failed in failures {
            if let Some(task) = find(tasks, failed.token) {
                let settled = self.settle(task, failed).await;
                split.note(task, settled).await?;
            }
        }
        Ok(())
    }

    async fn dead_letter(&self, task: &Claimed) -> Result<(), StoreError> {
        self.abandon(task).await
    }
}

struct Failed {
    token: ClaimToken,
    content: ContentHash,
    input: Arc<EnrichmentInput>,
    error: EnrichError,
}

enum Done {
    Outcome(Box<Outcome>),
    Failure(Failed),
    NotBegun(ClaimToken),
}

impl Enrichments {
    fn enricher(&self) -> Arc<dyn Enricher> {
        Arc::clone(&self.tasks.parts.enriching.enricher)
    }

    /// The store that records outcomes, and the lifetime of approved postings.
    fn target(&self) -> (&dyn Store, Lifetime) {
        let parts = &self.tasks.parts;
        (&*parts.stores.store, parts.settings.lifetime)
    }

    /// Finishes tasks whose posting no longer needs enrichment, and returns the others.
    async fn assignments(&self, tasks: &[Claimed]) -> Result<Vec<Assignment>, StoreError> {
        match self.assign(tasks).await {
            Err(error) => tracing::debug!(%error, "postings are looked up one by one"),
            assigned => return assigned,
        }
        let mut assignments = Vec::with_capacity(tasks.len());
        let mut split = SplitBatch::new(&self.tasks, tasks.len());
        for task in tasks {
            match self.assign(std::slice::from_ref(task)).await {
                Ok(assigned) => {
                    assignments.extend(assigned);
                    split.note(task, Ok(())).await?;
                }
                // The lease was lost: another worker has the task.
                Err(StoreError::Conflict) => {}
                Err(error) => split.note(task, Err(error)).await?,
            }
        }
        Ok(assignments)
    }

    async fn assign(&self, tasks: &[Claimed]) -> Result<Vec<Assignment>, StoreError> {
        let named: Vec<_> = tasks
            .iter()
            .map(|task| (task.token, PostingId::new(task.effect.key())))
            .collect();
        let now = self.tasks.now();
        panics::caught(usecase::assignments(
            self.tasks.parts.stores.store.as_ref(),
            &named,
            now,
        ))
        .await
    }

    async fn carry_out(
        &self,
        assignment: Assignment,
        cause: Option<TraceParent>,
        stop: &CancellationToken,
    ) -> Done {
        let Assignment {
            token,
            content,
            submission,
        } = assignment;
        if stop.is_cancelled() {
            return Done::NotBegun(token);
        }
        let input = Arc::new(EnrichmentInput::from(&submission));
        let posting = submission.posting.source_identifier;
        let mut span = self.span(&posting, cause);
        let trace = span.as_ref().and_then(|span| span.context());
        let enriched = self.enrich(Arc::clone(&input), trace).await;
        if let (Some(span), Err(error)) = (&mut span, &enriched) {
            span.fail(&error.to_string());
        }
        drop(span);
        match enriched {
            Ok(enrichment) => Done::Outcome(Box::new(Outcome {
                token,
                posting,
                content,
                enrichment,
                trace,
            })),
            Err(error) => Done::Failure(Failed {
                token,
                content,
                input,
                error,
            }),
        }
    }

    /// Starts the enrichment's span, in the trace of its cause or in a new trace.
    fn span(
        &self,
        posting: &SourceIdentifier,
        cause: Option<TraceParent>,
    ) -> Option<Box<dyn Span>> {
        let mut span = self.tasks.parts.tracer.as_ref()?.start(NewSpan {
            name: "enrich posting",
            role: SpanRole::Consumer,
            parent: cause,
            links: &[],
        });
        span.set("posthaste.posting.identifier", posting.as_str());
        Some(span)
    }

    /// Runs the enricher in a task of its own. The task stops when no caller waits for it any more.
    ///
    /// The time limit starts when the task starts to run. The wait for a free thread does not
    /// count.
    async fn enrich(
        &self,
        input: Arc<EnrichmentInput>,
        trace: Option<TraceParent>,
    ) -> Result<Enrichment, EnrichError> {
        let (enricher, stop) = (self.enricher(), StopOnDrop::default());
        let (flag, (began, waiting)) = (Arc::clone(&stop.0), oneshot::channel());
        let work = AbortOnDropHandle::new(self.tasks.threads.spawn(async move {
            // A send error is ignored: if the receiver is gone, the stop flag is set.
            let _ = began.send(());
            let trace = trace.map(|trace| trace.to_string());
            outbound::traced(trace.as_deref(), enricher.enrich(&input, &flag)).await
        }));
        // An error is ignored: joining the task returns the reason.
        let _ = waiting.await;
        let (start, limit) = (Instant::now(), self.tasks.settings().enrich_within);
        let worked = timeout(limit, work).await;
        metrics::enrichment_took(start.elapsed());
        match worked {
            Ok(Ok(result)) => result,
            Ok(Err(error)) => Err(failed_to_run(error)),
            Err(_) => Err(EnrichError::Retry {
                message: format!("the enricher took longer than {} s", limit.as_secs_f32()),
                after: None,
            }),
        }
    }

    /// Records all outcomes in one commit. If that fails, records them one by one.
    async fn record(&self, tasks: &[Claimed], outcomes: &[Outcome]) -> Result<(), StoreError> {
        match self.record_once(outcomes).await {
            Err(error) => tracing::debug!(%error, "outcomes are recorded one by one"),
            Ok(()) => return Ok(()),
        }
        let mut split = SplitBatch::new(&self.tasks, outcomes.len());
        for outcome in outcomes {
            let record = || Box::pin(self.record_once(std::slice::from_ref(outcome)));
            let result = decide_again(CONFLICTS, record).await;
            if let Some(task) = find(tasks, outcome.token) {
                split.note(task, result).await?;
            }
        }
        Ok(())
    }

    async fn record_once(&self, outcomes: &[Outcome]) -> Result<(), StoreError> {
        let (store, lifetime) = self.target();
        let now = self.tasks.now();
        let recorded = usecase::record_outcomes(store, outcomes, lifetime, now);
        panics::caught(recorded).await?;
        for outcome in outcomes {
            metrics::enriched(&outcome.enrichment.verdict);
        }
        Ok(())
    }
}

/// Sets the stop flag when dropped. An abort takes effect at an await, and a computation has none.
#[derive(Default)]
struct StopOnDrop(StopFlag);

impl Drop for StopOnDrop {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

fn find(tasks: &[Claimed], token: ClaimToken) -> Option<&Claimed> {
    tasks.iter().find(|task| task.token == token)
}

fn failed_to_run(error: JoinError) -> EnrichError {
    let message = match error.try_into_panic() {
        Ok(panic) => panics::message(panic.as_ref()),
        Err(error) => error.to_string(),
    };
    EnrichError::Retry {
        message: format!("the enricher failed: {message}"),
        after: None,
    }
}
