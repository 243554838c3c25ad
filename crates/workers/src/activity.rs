//! The activity of clients, collected in memory and written every few seconds.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use access::{
    ActivityLog, ActivityRecorder,
    activity::{ActivityWrites, Counts, Gathered, Refusal},
};
use domain::{
    posting::event::{JOB_POSTING_APPROVED, JOB_POSTING_REJECTED},
    store::{PostingWrite, WriteSet},
};
use kernel::{Actor, ClientId, StoreError, event::Subject};
use runtime::{Loops, waits};
use time::OffsetDateTime;
use tokio::time::sleep;

use crate::metrics;

/// With jitter and the duration of a write, counts are at most ten seconds late.
const PERIOD: Duration = Duration::from_secs(5);

/// How long the last write may take during a stop.
const GRACE: Duration = Duration::from_secs(2);

#[derive(Debug, Default)]
pub struct Activities(Mutex<Gathered>);

impl Activities {
    fn gathered(&self) -> MutexGuard<'_, Gathered> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn judged_all(&self, verdicts: &[Verdict]) {
        if verdicts.is_empty() {
            return;
        }
        let mut gathered = self.gathered();
        for verdict in verdicts {
            gathered.count(verdict.client, verdict.counts, verdict.at);
        }
    }

    /// Starts a loop that writes at intervals, and once more after the stop.
    pub fn start(self: &Arc<Self>, log: &Arc<dyn ActivityLog>) -> Loops {
        let (activities, log) = (Arc::clone(self), Arc::clone(log));
        let mut loops = Loops::new(GRACE, "the last activity of clients is lost");
        loops.spawn(|stop| async move {
            let period = || sleep(waits::jittered(PERIOD));
            while stop.run_until_cancelled(period()).await.is_some() {
                activities.write(&*log).await;
            }
            activities.write(&*log).await;
        });
        loops
    }

    /// Writes the collected activity. After an error, the next call retries only if the store
    /// certainly wrote nothing, so that nothing is counted twice.
    pub async fn write(&self, log: &dyn ActivityLog) {
        let writes = self.gathered().take();
        if writes.is_empty() {
            return;
        }
        match log.record(&writes).await {
            Ok(()) => count(&writes),
            Err(error @ (StoreError::InDoubt(_) | StoreError::Broken(_))) => {
                tracing::warn!(%error, "the activity of some seconds is lost");
                count(&writes);
            }
            Err(error) => {
                tracing::debug!(%error, "the activity of clients is written later");
                self.gathered().put_back(writes);
            }
        }
    }
}

fn count(writes: &ActivityWrites) {
    for (client, _, counts) in &writes.days {
        metrics::pushed(*client, counts);
    }
}

impl ActivityRecorder for Activities {
    fn pushed(&self, client: ClientId, counts: Counts, at: OffsetDateTime) {
        self.gathered().count(client, counts, at);
    }

    fn explained(&self, client: ClientId, refusal: Refusal) {
        self.gathered().explain(client, refusal);
    }

    fn used(&self, client: ClientId, digest: [u8; 32], at: OffsetDateTime) {
        self.gathered().use_secret(client, digest, at);
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Verdict {
    client: ClientId,
    counts: Counts,
    at: OffsetDateTime,
}

impl Verdict {
    pub fn all_of(writes: &WriteSet) -> Vec<Self> {
        let judged = writes.tasks.events.iter().filter_map(|event| {
            let mut counts = Counts::default();
            let Subject::Posting(posting) = &event.subject else {
                return None;
            };
            let write = writes.postings.get(&posting.id)?;
            match &event.name {
                name if *name == JOB_POSTING_APPROVED => counts.approved = 1,
                name if *name == JOB_POSTING_REJECTED => {
                    counts.rejected = 1;
                    counts.withdrawn = u64::from(write.posting.published_at.is_some());
                }
                _ => return None,
            }
            let client = creator(write)?;
            let at = event.at;
            Some(Self { client, counts, at })
        });
        let enriched = writes.postings.values();
        let enriched = enriched.filter(|write| write.enriched.is_some());
        let remarked = enriched.filter_map(|write| {
            let mut counts = Counts::default();
            for remark in &write.findings.remarks {
                counts.remarks.add(remark.code as usize, 1);
            }
            let client = creator(write)?;
            let at = writes.tasks.at;
            (counts.remarks.sum() > 0).then_some(Self { client, counts, at })
        });
        judged.chain(remarked).collect()
    }
}

fn creator(write: &PostingWrite) -> Option<ClientId> {
    match write.posting.created_by {
        Some(Actor::Client(client)) => Some(client),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, VecDeque};

    use access::{Activity, testing::client};
    use async_trait::async_trait;
    use domain::{
        posting::{Findings, Posting},
        testing::{posting, state},
    };
    use kernel::{
        Status,
        event::Event,
        testing::{noon, uuid},
    };

    use super::*;

    /// Gives these answers in turn, then success.
    #[derive(Default)]
    struct Log {
        failures: Mutex<VecDeque<StoreError>>,
        written: Mutex<Vec<ActivityWrites>>,
    }

    impl Log {
        fn failing(failure: StoreError) -> Self {
            Self {
                failures: Mutex::new([failure].into()),
                ..Self::default()
            }
        }

        fn created(&self) -> Vec<u64> {
            let written = self.written.lock().unwrap();
            written
                .iter()
                .map(|writes| writes.days[0].2.created)
                .collect()
        }
    }

    #[async_trait]
    impl ActivityLog for Log {
        async fn record(&self, writes: &ActivityWrites) -> Result<(), StoreError> {
            if let Some(failure) = self.failures.lock().unwrap().pop_front() {
                return Err(failure);
            }
            self.written.lock().unwrap().push(writes.clone());
            Ok(())
        }

        async fn activities(
            &self,
            _: &[ClientId],
            _: bool,
        ) -> Result<HashMap<ClientId, Activity>, StoreError> {
            unreachable!("it is only written")
        }
    }

    fn push(activities: &Activities) {
        let counts = Counts::one(kernel::PutOutcome::Created);
        activities.pushed(client(1).id, counts, noon());
    }

    #[tokio::test]
    async fn activity_that_was_surely_not_written_is_written_later() {
        let away = || "away".to_owned();
        for (failure, written) in [
            (StoreError::Unavailable(away()), [2]),
            (StoreError::Conflict, [2]),
            (StoreError::InDoubt(away()), [1]),
        ] {
            let (log, activities) = (Log::failing(failure), Activities::default());
            push(&activities);
            activities.write(&log).await;
            push(&activities);
            activities.write(&log).await;
            activities.write(&log).await;
            assert_eq!(log.created(), written);
        }
    }

    #[tokio::test(start_paused = true)]
    async fn it_is_written_every_few_seconds_and_at_the_end() {
        let (log, activities) = (Arc::new(Log::default()), Arc::new(Activities::default()));
        let stored: Arc<dyn ActivityLog> = Arc::clone(&log) as _;
        let loops = activities.start(&stored);
        for _ in 0..3 {
            push(&activities);
        }
        sleep(Duration::from_secs(10)).await;
        assert_eq!(log.created(), [3]);
        push(&activities);
        loops.stop().await;
        assert_eq!(log.created(), [3, 1]);
    }

    #[test]
    fn verdicts_are_for_the_client_that_created_the_posting() {
        let commit = |name, posting: &Posting| {
            let mut writes = WriteSet::new(noon());
            let subject = Subject::Posting(posting.into());
            writes.tasks.events.push(Event {
                name,
                subject,
                at: noon(),
                trace: None,
            });
            let write = PostingWrite {
                expected: Some(1),
                posting: posting.clone(),
                sets_description: false,
                enriched: None,
                findings: Findings::default(),
                decision: None,
                replaced: None,
                history: Vec::new(),
            };
            writes.postings.insert(posting.id, write);
            Verdict::all_of(&writes)
        };
        let company = kernel::CompanyId::new(uuid(9));
        let mut judged = posting(1, company);
        judged.put_in(state(Status::Approved), None);
        for (name, approved) in [(JOB_POSTING_APPROVED, 1), (JOB_POSTING_REJECTED, 0)] {
            let verdict = Verdict {
                client: client(1).id,
                counts: Counts {
                    approved,
                    rejected: 1 - approved,
                    ..Counts::default()
                },
                at: noon(),
            };
            assert_eq!(commit(name, &judged), [verdict]);
        }
        judged.created_by = None;
        assert_eq!(commit(JOB_POSTING_APPROVED, &judged), []);
        assert_eq!(
            commit(domain::posting::event::JOB_POSTING_UPDATED, &judged),
            []
        );
    }
}
