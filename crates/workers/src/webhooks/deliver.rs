//! One round: concurrent attempts, and the commit of their outcomes.

use std::{
    borrow::Cow,
    pin::pin,
    sync::atomic::{AtomicUsize, Ordering},
    time::Duration,
};

use ::webhooks::{
    Attempt, Begun, Delivery, DeliveryRound, Endpoint, Lease, NoAnswer, Owner, Recorded, Round,
    TrackedEndpoint, posting_of, start_round,
};
use access::Client;
use domain::posting::PostingView;
use futures_util::{StreamExt as _, stream::FuturesUnordered};
use kernel::{
    StoreError,
    event::{Event, RecordedEvent, Subject},
    trace::{NewSpan, Span, SpanRole},
};
use runtime::{panics, retry, waits};
use tokio::{
    sync::SemaphorePermit,
    time::{Instant, sleep},
};
use tokio_util::sync::CancellationToken;

use super::{Deliveries, FURTHER_ATTEMPTS, RoundEnd};
use crate::metrics;

/// The part of a stop's time for attempts in progress. The rest is for recording their outcomes.
const RECORDABLE: f64 = 0.8;

/// After this time, an event with a reason is read again, because the reason may have been erased.
const READABLE: Duration = Duration::from_secs(5);

enum Permit<'a> {
    First,
    Further(#[expect(dead_code, reason = "it is held")] SemaphorePermit<'a>),
}

/// Counts a round that makes attempts, until dropped.
struct Attempting<'a>(&'a AtomicUsize);

impl<'a> Attempting<'a> {
    fn begin(rounds: &'a AtomicUsize) -> Self {
        rounds.fetch_add(1, Ordering::Relaxed);
        Self(rounds)
    }
}

impl Drop for Attempting<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

enum Unsent {
    /// The posting cannot be read now.
    Store(StoreError),
    /// The posting or the event can never be read.
    Defect(String),
}

struct Ended {
    number: usize,
    result: Result<Attempt, StoreError>,
}

impl Deliveries {
    pub(super) async fn deliver(
        &self,
        tracked: TrackedEndpoint,
        lease: Lease,
        stop: &CancellationToken,
    ) -> Result<RoundEnd, StoreError> {
        let parts = &self.parts;
        let owner = self.owner(&tracked.endpoint).await?;
        self.note_owner(lease, owner.as_ref());
        let of_owner = |tracked: TrackedEndpoint| -> Result<_, &'static str> {
            let endpoint = tracked.endpoint.of_owner(owner.as_ref())?;
            Ok(TrackedEndpoint {
                endpoint,
                ..tracked
            })
        };
        let tracked = match of_owner(tracked.clone()) {
            Ok(tracked) => tracked,
            Err(reason) => {
                let round = Round {
                    disabled: Some(reason.to_owned()),
                    ..Round::idle(&tracked, (parts.clock)())
                };
                return Ok(match self.record(&tracked.endpoint, &round, lease).await? {
                    Recorded::Done => RoundEnd::Recorded,
                    Recorded::Changed | Recorded::Lost => RoundEnd::Lost,
                });
            }
        };
        let endpoint = tracked.endpoint.clone();
        let (webhooks, log) = (&*parts.stores.webhooks, &*parts.stores.events);
        let (schedule, now) = (parts.settings.schedule.clone(), (parts.clock)());
        let read_at = Instant::now();
        let mut round = start_round(webhooks, log, tracked, schedule, now).await?;
        if round.has_gap {
            tracing::warn!(
                endpoint = %endpoint.id,
                "events were deleted before a webhook got them; it continues with the oldest kept \
                 event"
            );
        }
        self.make_attempts(&mut round, &endpoint, (lease, read_at), stop)
            .await;
        let now = (parts.clock)();
        let mut result = round.finish(now, rand::random());
        if result.is_idle() {
            return Ok(RoundEnd::Idle(Box::new(result)));
        }
        loop {
            match self.record(&endpoint, &result, lease).await? {
                Recorded::Done => return Ok(RoundEnd::Recorded),
                Recorded::Lost => return Ok(RoundEnd::Lost),
                Recorded::Changed => {}
            }
            let found = persistently(&endpoint, || webhooks.find(endpoint.id)).await?;
            let Some(changed) = found else {
                return Ok(RoundEnd::Lost);
            };
            let (id, subjects) = (endpoint.id, round.subjects());
            let stored = persistently(&endpoint, || webhooks.waiting_among(id, &subjects)).await?;
            result = round.finish_changed(&changed, stored, now, rand::random());
        }
    }

    async fn make_attempts(
        &self,
        round: &mut DeliveryRound,
        endpoint: &Endpoint,
        (lease, read_at): (Lease, Instant),
        stop: &CancellationToken,
    ) {
        let _attempting = Attempting::begin(&self.attempting);
        let mut under_way = FuturesUnordered::new();
        let mut too_late = pin!(async {
            stop.cancelled().await;
            sleep(self.parts.settings.stop_within.mul_f64(RECORDABLE)).await;
        });
        loop {
            if stop.is_cancelled() || !self.is_held(lease) {
                round.stop();
            }
            while let Some(permit) = self.permit(under_way.len())
                && let Some(begun) = round.begin((self.parts.clock)())
            {
                under_way.push(self.attempt(endpoint, begun, read_at, permit));
            }
            let ended = tokio::select! {
                ended = under_way.next() => ended,
                () = &mut too_late => None,
            };
            let Some(Ended { number, result }) = ended else {
                return;
            };
            match result {
                Ok(attempt) => {
                    metrics::webhook_attempted(attempt.outcome);
                    round.end(number, &attempt, (self.parts.clock)(), rand::random());
                }
                Err(error) => {
                    tracing::warn!(endpoint = %endpoint.id, %error, "a posting for a webhook was not read");
                    round.withdraw(number);
                }
            }
        }
    }

    /// The client that owns the endpoint. `None` if the operators own it.
    async fn owner(&self, endpoint: &Endpoint) -> Result<Option<Client>, StoreError> {
        match endpoint.owner {
            Owner::Client(id) => self.parts.stores.clients.find(id).await,
            Owner::Operator => Ok(None),
        }
    }

    /// The first attempt of a round always gets a permit, so no endpoint waits for others.
    fn permit(&self, under_way: usize) -> Option<Permit<'_>> {
        if under_way == 0 {
            return Some(Permit::First);
        }
        let share = FURTHER_ATTEMPTS / self.attempting.load(Ordering::Relaxed).max(1);
        let may_begin = under_way <= share.max(1);
        let permit = may_begin.then(|| self.attempts.try_acquire().ok());
        permit.flatten().map(Permit::Further)
    }

    /// Makes an attempt. An error comes from the store, and the posting may be readable later.
    async fn attempt(
        &self,
        endpoint: &Endpoint,
        begun: Begun,
        read_at: Instant,
        _permit: Permit<'_>,
    ) -> Ended {
        let start = Instant::now();
        let event = &begun.event;
        let mut span = self.span(endpoint, &begun);
        let trace = span.as_ref().and_then(|span| span.context());
        // If handling an event panics, the event is retried by the schedule, like after a failure.
        let attempt = panics::caught_as(Unsent::Defect, async {
            let fresh = self.fresh(event, read_at).await.map_err(Unsent::Store)?;
            let posting = self.posting(endpoint, &fresh).await?;
            let body = (self.parts.body)(endpoint.owner, &fresh, posting.as_ref());
            let timestamp = (self.parts.clock)();
            let delivery = Delivery {
                url: &endpoint.url,
                id: &event.cursor.to_string(),
                timestamp,
                secrets: &endpoint.secrets(timestamp),
                body: &body.map_err(Unsent::Defect)?,
                trace,
            };
            Ok(self.parts.sender.send(&delivery).await)
        });
        let result = match attempt.await {
            Ok(attempt) => Ok(attempt),
            Err(Unsent::Store(error)) => Err(error),
            Err(Unsent::Defect(error)) => {
                tracing::error!(event = %event.cursor, error, "a delivery was not sent");
                let why = "an internal error";
                Ok(Attempt::unanswered(
                    NoAnswer::Unsendable,
                    why,
                    start.elapsed(),
                ))
            }
        };
        if let (Some(span), Ok(attempt)) = (&mut span, &result) {
            describe(span.as_mut(), attempt);
        }
        Ended {
            number: begun.number,
            result,
        }
    }

    /// The span of an attempt. `None` if the event's cause is not traced.
    fn span(&self, endpoint: &Endpoint, begun: &Begun) -> Option<Box<dyn Span>> {
        let tracer = self.parts.tracer.as_ref()?;
        let event = &begun.event;
        let parent = event.event.trace?;
        let mut span = tracer.start(NewSpan {
            name: "deliver webhook",
            role: SpanRole::Client,
            parent: Some(parent),
            links: &[],
        });
        span.set("http.request.method", "POST");
        span.set("server.address", endpoint.url.host());
        span.set("posthaste.webhook.endpoint", &endpoint.id.to_string());
        span.set("posthaste.event.id", &event.cursor.to_string());
        span.set("posthaste.event.type", event.event.name.as_str());
        Some(span)
    }

    async fn fresh<'a>(
        &self,
        recorded: &'a RecordedEvent,
        read_at: Instant,
    ) -> Result<Cow<'a, Event>, StoreError> {
        let says_why = match &recorded.event.subject {
            Subject::Posting(posting) => posting.says_why(),
            _ => false,
        };
        if !says_why || read_at.elapsed() < READABLE {
            return Ok(Cow::Borrowed(&recorded.event));
        }
        let kept = self
            .parts
            .stores
            .events
            .events_at(&[recorded.cursor])
            .await?;
        let mut event = recorded.event.clone();
        if let Subject::Posting(posting) = &mut event.subject {
            posting.erase();
        }
        // An event that is no longer kept is sent without its reason.
        let kept = kept.into_iter().next();
        Ok(Cow::Owned(kept.map_or(event, |kept| kept.event)))
    }

    async fn posting(
        &self,
        endpoint: &Endpoint,
        event: &Event,
    ) -> Result<Option<PostingView>, Unsent> {
        let postings = self.parts.stores.postings.as_ref();
        match panics::caught(posting_of(endpoint, event, postings)).await {
            Ok(found) => Ok(found),
            Err(StoreError::Broken(error)) => Err(Unsent::Defect(error)),
            Err(error) => Err(Unsent::Store(error)),
        }
    }

    async fn record(
        &self,
        endpoint: &Endpoint,
        round: &Round,
        lease: Lease,
    ) -> Result<Recorded, StoreError> {
        let id = endpoint.id;
        let webhooks = &self.parts.stores.webhooks;
        let recorded = persistently(endpoint, || webhooks.record(lease.holder, round)).await?;
        match recorded {
            Recorded::Done => {
                metrics::webhook_events_given_up(round.dead_letters);
                if let Some(reason) = &round.disabled {
                    let host = endpoint.url.host();
                    tracing::warn!(endpoint = %id, host, reason, "a webhook is disabled");
                }
            }
            Recorded::Lost => {
                tracing::info!(
                    endpoint = %id,
                    "a round is lost: its cursor was moved back, or its endpoint was deleted or \
                     leased elsewhere"
                );
            }
            Recorded::Changed => {}
        }
        Ok(recorded)
    }
}

fn describe(span: &mut dyn Span, attempt: &Attempt) {
    if let Some(status) = attempt.outcome.status() {
        span.count("http.response.status_code", status.into());
    }
    if let Some(error) = &attempt.error {
        span.fail(error);
    }
}

/// Repeats a call while the store is unavailable. Deliveries that are not recorded are sent again.
async fn persistently<T, F>(endpoint: &Endpoint, call: impl Fn() -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let may_pass = |error: &StoreError| {
        tracing::warn!(endpoint = %endpoint.id, %error, "a round is not recorded");
        !matches!(error, StoreError::Broken(_))
    };
    retry(waits::after_failures(), may_pass, call).await
}
