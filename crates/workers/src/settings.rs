use std::{io, time::Duration};

use ::webhooks::RetrySchedule;
use domain::posting::Lifetime;
use runtime::{cores, lease};

use super::background::Background;

#[derive(Clone, Debug)]
pub struct WorkerSettings {
    pub lease: lease::Terms,
    /// How often an idle worker looks for commits of other processes.
    pub poll_every: Duration,
    pub lifetime: Lifetime,
    pub sweep_every: Duration,
    /// How often old drafts, events and texts are deleted.
    pub forget_every: Duration,
    pub keep_events: Duration,
    /// How long an expired posting keeps its texts. `None` means for ever.
    pub keep_expired_texts: Option<Duration>,
    /// How long content that is not a job ad is held back from an approved posting.
    pub hold_content: Duration,
    /// How long versions of postings are kept. `None` means for ever.
    pub keep_versions: Option<Duration>,
    /// How long a reporter stays known after the decision on the report.
    pub keep_reporters: Duration,
    pub enrich_loops: usize,
    /// The number of postings per claim. Their outcomes share a commit, so a crash loses them all.
    pub claim_for_enrichment: usize,
    /// The number of claimed postings that are enriched at the same time.
    pub enrich_at_once: usize,
    /// Whether the enricher computes for long, and therefore has threads of its own.
    pub enrich_aside: bool,
    pub enrich_within: Duration,
    /// The number of loops for each queue of the e-mail provider. With overlapping calls, even a
    /// slow account reaches its rate limit.
    pub provider_loops: usize,
    pub schedule: RetrySchedule,
    /// Whether the accounts' lists are read before the first sync and every night.
    pub reconciles: bool,
    pub lease_accounts_every: Duration,
    pub stop_within: Duration,
}

impl Default for WorkerSettings {
    fn default() -> Self {
        Self {
            lease: lease::Terms::STANDARD,
            poll_every: Duration::from_secs(1),
            lifetime: Lifetime::NEVER,
            sweep_every: Duration::from_secs(20),
            forget_every: Duration::from_hours(1),
            keep_events: Duration::from_hours(30 * 24),
            keep_expired_texts: Some(Duration::from_hours(30 * 24)),
            hold_content: Duration::from_hours(72),
            keep_versions: Some(Duration::from_hours(90 * 24)),
            keep_reporters: Duration::from_hours(180 * 24),
            enrich_loops: 1,
            claim_for_enrichment: 64,
            // Pushes get the other half.
            enrich_at_once: cores::half(),
            enrich_aside: true,
            enrich_within: Duration::from_mins(2),
            provider_loops: 4,
            schedule: RetrySchedule::default(),
            reconciles: false,
            lease_accounts_every: Duration::from_secs(5),
            stop_within: Duration::from_secs(10),
        }
    }
}

impl WorkerSettings {
    /// Uses one loop per concurrent call. Each loop records its paid answer at once, so a process
    /// that dies loses only the answers in progress.
    pub fn for_model(self, concurrency: usize, enrich_within: Duration) -> Self {
        Self {
            enrich_loops: concurrency,
            claim_for_enrichment: 1,
            enrich_at_once: 1,
            enrich_aside: false,
            enrich_within,
            ..self
        }
    }

    pub(super) fn threads(&self) -> io::Result<Background> {
        if self.enrich_aside {
            Background::new(self.enrich_at_once)
        } else {
            Ok(Background::none())
        }
    }
}
