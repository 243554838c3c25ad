//! Overwrites remains of deleted rows in the database's files. An erasure does this itself, unless
//! the files are in use.

use async_trait::async_trait;
use kernel::StoreError;
use tokio_util::sync::CancellationToken;

use super::job::Job;
use crate::parts::WorkerParts;

pub(super) struct Deleted;

#[async_trait]
impl Job for Deleted {
    fn subject(&self) -> &'static str {
        "deleted rows in the database's files"
    }

    async fn run(&mut self, parts: &WorkerParts, _: &CancellationToken) -> Result<(), StoreError> {
        if !parts.stores.retention.overwrite_deleted().await? {
            tracing::info!("the database's files are in use and still have deleted rows");
        }
        Ok(())
    }
}
