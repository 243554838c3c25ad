//! The enricher that was configured.
//!
//! The built-in one is [`Pipeline`] alone. With a language model each posting gets an author of
//! its own: [`thrifty`], which pays once for the same content, around [`guarded`], which keeps
//! calls away from an endpoint that is to be left alone, around the model.

mod guarded;
mod model;
mod rules;
mod thrifty;

use std::{sync::Arc, time::Duration};

use adapters_llm::{self as llm, Model, SettingsError};
use domain::enrichment::{Author, Drafts, Enricher, Pipeline};

pub use self::rules::TextRules;
use self::{guarded::Guarded, model::WithModel, thrifty::Paid};
use crate::{
    clock::Clock,
    config::EnricherKind,
    misconfigured::Misconfigured,
    worker::{Gate, WorkerSettings},
};

/// For how many calls of a model an enrichment may last: two of its own, and before that two of
/// somebody else who is at the same content.
const CALLS: u32 = 4;
/// For as long as it takes to find out that somebody else is gone, and for the rest.
const MARGIN: Duration = Duration::from_mins(1);

/// An enricher that lacks nothing but a store.
pub struct Prepared {
    /// Without one rules decide alone.
    pub model: Option<Judge>,
    /// How a worker works with it.
    pub settings: WorkerSettings,
}

/// An author who judges, and costs.
pub struct Judge {
    pub author: Arc<dyn Author>,
    /// What its drafts depend on besides the posting.
    pub edition: String,
}

/// An enricher, and how a worker works with it.
pub struct Enriching {
    pub enricher: Arc<dyn Enricher>,
    /// Closed while the enricher is to be left alone.
    pub gate: Arc<Gate>,
    pub settings: WorkerSettings,
}

impl Prepared {
    /// Gets ready; nobody is called yet.
    pub fn new(kind: &EnricherKind) -> anyhow::Result<Self> {
        let settings = match kind {
            EnricherKind::Builtin => {
                return Ok(Self {
                    model: None,
                    settings: WorkerSettings::default(),
                });
            }
            EnricherKind::Llm(settings) => settings,
        };
        let model = Model::new(&settings.model).map_err(|error| match error {
            SettingsError::BaseUrl | SettingsError::Key => Misconfigured(error.to_string()).into(),
            SettingsError::Client(_) => anyhow::Error::new(error),
        })?;
        Ok(Self {
            model: Some(Judge {
                edition: model.edition().to_owned(),
                author: Arc::new(model),
            }),
            settings: worker_settings(settings.concurrency, settings.model.timeout),
        })
    }

    /// Says what is counted of it.
    pub fn describe_metrics(&self) {
        if self.model.is_some() {
            llm::describe_metrics();
        }
    }

    /// The enricher, with the store of drafts.
    pub fn with(self, drafts: Arc<dyn Drafts>, clock: Clock) -> Enriching {
        let (gate, rules) = (Arc::new(Gate::default()), Arc::new(TextRules));
        let enricher: Arc<dyn Enricher> = match self.model {
            None => Arc::new(Pipeline::by_rules(rules)),
            Some(Judge { author, edition }) => {
                let guarded = Guarded::new(author, Arc::clone(&gate));
                let paid = Paid {
                    author: Arc::new(guarded),
                    edition,
                    drafts,
                    clock,
                };
                Arc::new(WithModel::new(rules, paid))
            }
        };
        Enriching {
            enricher,
            gate,
            settings: self.settings,
        }
    }
}

/// How a worker works with a model: a loop for each call that may be under way. Each records what
/// it paid for at once, so that a process that dies loses no other answer.
pub fn worker_settings(concurrency: usize, timeout: Duration) -> WorkerSettings {
    WorkerSettings {
        enrich_loops: concurrency,
        claim_for_enrichment: 1,
        enrich_at_once: 1,
        enrich_aside: false,
        enrich_within: timeout.saturating_mul(CALLS) + MARGIN,
        ..WorkerSettings::default()
    }
}

#[cfg(test)]
mod tests;
