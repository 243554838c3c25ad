//! How a worker works.

use std::{io, time::Duration};

use ::webhooks::RetrySchedule;
use domain::posting::Lifetime;
use runtime::{cores, lease};

use super::background::Background;

/// How a worker works.
#[derive(Clone, Debug)]
pub struct WorkerSettings {
    pub lease: lease::Terms,
    /// How long an idle worker waits before it looks for commits of other processes.
    pub poll_every: Duration,
    /// The lifetime of postings.
    pub lifetime: Lifetime,
    /// How often lifetimes are ended.
    pub sweep_every: Duration,
    /// How often old drafts, events and texts are deleted.
    pub forget_every: Duration,
    /// How long an event is kept.
    pub keep_events: Duration,
    /// How long after its expiry a posting keeps its texts; `None` for ever.
    pub keep_expired_texts: Option<Duration>,
    /// How many loops enrich.
    pub enrich_loops: usize,
    /// How many postings a loop claims at once: the outcomes share a commit, and are lost
    /// together when the process dies.
    pub claim_for_enrichment: usize,
    /// How many of them it enriches at the same time.
    pub enrich_at_once: usize,
    /// Whether the enricher computes for long and has threads of its own; otherwise it mostly
    /// waits.
    pub enrich_aside: bool,
    /// How long one enrichment may take.
    pub enrich_within: Duration,
    /// How many loops work on each queue for the e-mail provider: calls overlap, so that an
    /// account that takes two seconds to answer still gets all the requests that it takes.
    pub provider_loops: usize,
    /// When deliveries to webhooks are tried again.
    pub schedule: RetrySchedule,
    /// Whether the accounts' lists are read, before the first sync and every night.
    pub reconciles: bool,
    /// How often a worker looks whether it may speak to the provider's accounts.
    pub lease_accounts_every: Duration,
    /// How long a stop waits for what is under way.
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
            enrich_loops: 1,
            claim_for_enrichment: 64,
            // The other half is for those who push.
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
    /// The settings for a model that takes so many calls at a time, each for so long: one loop per
    /// call. Each loop records its paid answer at once, so a process that dies loses only answers
    /// in progress.
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

    /// The threads that enrich.
    pub(super) fn threads(&self) -> io::Result<Background> {
        if self.enrich_aside {
            Background::new(self.enrich_at_once)
        } else {
            Ok(Background::none())
        }
    }
}
