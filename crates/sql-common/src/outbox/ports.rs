/// Implements the port [`Outbox`](kernel::outbox::Outbox). Each store claims tasks with its own
/// `claim_due`, `look_for_crashed` and `claim_lost`.
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

            $crate::port! {
                impl Outbox for $store {
                    repeatable outbox::renew(tokens: &[ClaimToken], until: OffsetDateTime) -> ();
                    repeatable outbox::give_back(tokens: &[ClaimToken], at: OffsetDateTime) -> ();
                    repeatable outbox::retry(
                        token: ClaimToken, next_at: OffsetDateTime, error: &str, now: OffsetDateTime
                    ) -> ();
                    query outbox::list(
                        dead: bool, after: Option<TaskId>, limit: usize
                    ) -> Vec<TaskRow>;
                    query outbox::dead_among(effects: &[Effect]) -> Vec<Effect>;
                    query outbox::tasks_of(
                        subject: Uuid, kinds: &[Kind], limit: usize
                    ) -> Vec<SubjectTask>;
                    transaction outbox::revive(
                        which: &Revive, entry: Option<&Entry>, now: OffsetDateTime
                    ) -> u64;
                    transaction outbox::dismiss(tasks: &[TaskId], dismissal: &Dismissal) -> u64;
                    query outbox::backlog(kinds: &[Kind]) -> Vec<Backlog>;
                    also {
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

                        async fn give_up(
                            &self,
                            token: ClaimToken,
                            error: &str,
                            now: OffsetDateTime,
                        ) -> Result<(), StoreError> {
                            let error = error.to_owned();
                            self.repeatable(async move |conn| {
                                outbox::give_up(conn, token, &error, now).await.map(drop)
                            })
                            .await
                        }
                    }
                }
            }
        };
    };
}
