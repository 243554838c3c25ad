use async_trait::async_trait;
use futures_util::future::BoxFuture;
use kernel::StoreError;
use runtime::Cleanup;
use time::{Duration, OffsetDateTime};
use tokio_util::sync::CancellationToken;

use super::job::Job;
use crate::{metrics, parts::WorkerParts};

#[derive(Clone, Copy)]
pub(super) struct Deletion {
    pub rows: &'static str,
    pub batch: usize,
    /// Rows older than this time are deleted; `None` for none. The time given to the function is
    /// the earlier of this machine's and the store's, so a fast clock deletes nothing too early.
    pub before: fn(&WorkerParts, OffsetDateTime) -> Option<OffsetDateTime>,
    pub delete: for<'a> fn(
        &'a WorkerParts,
        OffsetDateTime,
        usize,
    ) -> BoxFuture<'a, Result<usize, StoreError>>,
}

pub(super) const DELETIONS: [Deletion; 6] = [
    Deletion {
        rows: "old drafts",
        batch: 256,
        before: |_, now| Some(now - Duration::days(90)),
        delete: |parts, before, limit| {
            Box::pin(async move {
                let forgotten = parts.stores.drafts.forget(before, limit).await?;
                Ok(usize::try_from(forgotten).unwrap_or(limit))
            })
        },
    },
    Deletion {
        rows: "old misses of catalogues",
        batch: 5_000,
        before: |_, now| Some(now),
        delete: |parts, _, limit| parts.stores.catalogues.forget_missed(limit),
    },
    Deletion {
        rows: "names and addresses of reporters",
        batch: 500,
        before: |parts, now| Some(now - parts.settings.keep_reporters),
        delete: |parts, before, limit| parts.stores.reports.forget_reporters(before, limit),
    },
    Deletion {
        rows: "old sessions",
        batch: 500,
        before: |_, now| Some(now - Duration::DAY),
        delete: |parts, before, limit| parts.stores.sign_in_tokens.forget_tokens(before, limit),
    },
    Deletion {
        rows: "texts of expired postings",
        batch: 500,
        before: |parts, now| parts.settings.keep_expired_texts.map(|keep| now - keep),
        delete: |parts, before, limit| {
            Box::pin(async move {
                let count = parts.stores.retention.drop_texts(before, limit).await?;
                metrics::texts_dropped(count as u64);
                Ok(count)
            })
        },
    },
    Deletion {
        rows: "old versions of postings",
        batch: 1_000,
        before: |parts, now| parts.settings.keep_versions.map(|keep| now - keep),
        delete: |parts, before, limit| parts.stores.retention.forget_versions(before, limit),
    },
];

impl Deletion {
    pub async fn delete_before(
        &self,
        before: Option<OffsetDateTime>,
        parts: &WorkerParts,
        stop: &CancellationToken,
    ) -> Result<(), StoreError> {
        let Some(before) = before else {
            return Ok(());
        };
        let cleanup = Cleanup {
            rows: self.rows,
            size: self.batch,
            throttle: &parts.throttle,
            stop,
        };
        cleanup
            .run(|limit| (self.delete)(parts, before, limit))
            .await
    }
}

#[async_trait]
impl Job for Deletion {
    fn subject(&self) -> &'static str {
        self.rows
    }

    async fn run(
        &mut self,
        parts: &WorkerParts,
        stop: &CancellationToken,
    ) -> Result<(), StoreError> {
        let before = (self.before)(parts, parts.earlier_now());
        self.delete_before(before, parts, stop).await
    }
}
