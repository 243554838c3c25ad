//! An author who is called only while the gate is open, and whose answers move it.

use std::sync::Arc;

use async_trait::async_trait;
use domain::enrichment::{Author, Brief, Draft, DraftError, EnrichError, Objection};

use crate::worker::Gate;

/// Guards an author.
pub struct Guarded {
    author: Arc<dyn Author>,
    gate: Arc<Gate>,
}

impl Guarded {
    pub fn new(author: Arc<dyn Author>, gate: Arc<Gate>) -> Self {
        Self { author, gate }
    }
}

#[async_trait]
impl Author for Guarded {
    async fn draft(
        &self,
        brief: &Brief<'_>,
        objection: Option<&Objection>,
    ) -> Result<Draft, DraftError> {
        // Whoever was let through before the gate was closed comes too late.
        let call = self.gate.begin().map_err(|left| EnrichError::Unavailable {
            message: "the enricher is left alone".to_owned(),
            after: Some(left),
        })?;
        let result = self.author.draft(brief, objection).await;
        match &result {
            Err(DraftError::Failed(error @ EnrichError::Unavailable { after, .. })) => {
                self.gate.refused(call, &error.to_string(), *after);
            }
            // An answer of no use is one, too.
            _ => self.gate.answered(call),
        }
        result
    }

    async fn settle(&self, brief: &Brief<'_>, draft: Option<&Draft>) {
        self.author.settle(brief, draft).await;
    }
}
