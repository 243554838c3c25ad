//! The port.

/// The port [`Outbox`](kernel::outbox::Outbox). How tasks are claimed is each store's own:
/// `claim_due`, `look_for_crashed`, `claim_lost`.
#[macro_export]
macro_rules! outbox {
    ($store:ty) => {
        const _: () = {
            use kernel::{
                StoreError,
                audit::Entry,
                outbox::{
                    Backlog, ClaimToken, Claimed, Dismissal, Effect, Kind, Outbox, Queue, Revive,
                    SubjectTask, TaskId, TaskRow,
                },
            };
            use time::{Duration, OffsetDateTime};
            use uuid::Uuid;
            use $crate::outbox;

            #[async_trait::async_trait]
            impl Outbox for $store {
                async fn claim(
                    &self,
                    queue: Queue,
                    limit: usize,
                    lease: Duration,
                    lease_id: Uuid,
                    now: OffsetDateTime,
                ) -> Result<Vec<Claimed>, StoreError> {
                    if limit == 0 {
                        return Ok(Vec::new());
                    }
                    self.claim_due(queue, limit, lease_id, now, now + lease)
                        .await
                }

                async fn has_crashed(
                    &self,
                    queue: Queue,
                    now: OffsetDateTime,
                ) -> Result<bool, StoreError> {
                    self.look_for_crashed(queue, now).await
                }

                async fn claim_crashed(
                    &self,
                    queue: Queue,
                    lease: Duration,
                    lease_id: Uuid,
                    now: OffsetDateTime,
                ) -> Result<Option<Claimed>, StoreError> {
                    let claimed = self.claim_lost(queue, lease_id, now, now + lease).await?;
                    Ok(claimed.into_iter().next())
                }

                async fn renew(
                    &self,
                    tokens: &[ClaimToken],
                    until: OffsetDateTime,
                ) -> Result<(), StoreError> {
                    if tokens.is_empty() {
                        return Ok(());
                    }
                    let tokens = tokens.to_vec();
                    self.repeatable(
                        async move |conn| Ok(outbox::renew(conn, &tokens, until).await?),
                    )
                    .await
                }

                async fn give_back(
                    &self,
                    tokens: &[ClaimToken],
                    at: OffsetDateTime,
                ) -> Result<(), StoreError> {
                    if tokens.is_empty() {
                        return Ok(());
                    }
                    let tokens = tokens.to_vec();
                    self.repeatable(async move |conn| {
                        Ok(outbox::give_back(conn, &tokens, at).await?)
                    })
                    .await
                }

                async fn retry(
                    &self,
                    token: ClaimToken,
                    next_at: OffsetDateTime,
                    error: &str,
                    now: OffsetDateTime,
                ) -> Result<(), StoreError> {
                    let error = error.to_owned();
                    self.repeatable(async move |conn| {
                        Ok(outbox::retry(conn, token, next_at, &error, now).await?)
                    })
                    .await
                }

                async fn give_up(
                    &self,
                    token: ClaimToken,
                    error: &str,
                    now: OffsetDateTime,
                ) -> Result<(), StoreError> {
                    let error = error.to_owned();
                    self.repeatable(async move |conn| {
                        outbox::give_up(conn, token, &error, now).await?;
                        Ok(())
                    })
                    .await
                }

                async fn list(
                    &self,
                    dead: bool,
                    after: Option<TaskId>,
                    limit: usize,
                ) -> Result<Vec<TaskRow>, StoreError> {
                    self.query(async move |conn| Ok(outbox::list(conn, dead, after, limit).await?))
                        .await
                }

                async fn dead_among(&self, effects: &[Effect]) -> Result<Vec<Effect>, StoreError> {
                    let effects = effects.to_vec();
                    self.query(async move |conn| Ok(outbox::dead_among(conn, &effects).await?))
                        .await
                }

                async fn tasks_of(
                    &self,
                    subject: Uuid,
                    kinds: &[Kind],
                    limit: usize,
                ) -> Result<Vec<SubjectTask>, StoreError> {
                    let kinds = kinds.to_vec();
                    self.query(async move |conn| {
                        Ok(outbox::tasks_of(conn, subject, &kinds, limit).await?)
                    })
                    .await
                }

                async fn revive(
                    &self,
                    which: &Revive,
                    entry: Option<&Entry>,
                    now: OffsetDateTime,
                ) -> Result<u64, StoreError> {
                    let (which, entry) = (which.clone(), entry.cloned());
                    self.transaction(async move |conn| {
                        Ok(outbox::revive(conn, &which, entry, now).await?)
                    })
                    .await
                }

                async fn dismiss(
                    &self,
                    tasks: &[TaskId],
                    dismissal: &Dismissal,
                ) -> Result<u64, StoreError> {
                    let (tasks, dismissal) = (tasks.to_vec(), dismissal.clone());
                    self.transaction(async move |conn| {
                        Ok(outbox::dismiss(conn, &tasks, &dismissal).await?)
                    })
                    .await
                }

                async fn backlog(&self, kinds: &[Kind]) -> Result<Vec<Backlog>, StoreError> {
                    let kinds = kinds.to_vec();
                    self.query(async move |conn| Ok(outbox::backlog(conn, &kinds).await?))
                        .await
                }
            }
        };
    };
}
