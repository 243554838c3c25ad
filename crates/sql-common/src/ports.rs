//! The ports that both stores implement in the same way.

/// Implements ports for a store. Each store has its own `write_commit`, `claim_due`,
/// `look_for_crashed`, `claim_lost`, `reserve_draft` and `lease_endpoints`.
#[macro_export]
macro_rules! ports {
    ($store:ty) => {
        const _: () = {
            use std::collections::{BTreeMap, HashMap, HashSet};

            use access::{
                Activity, ActivityLog, Client, ClientWrite, Clients,
                activity::ActivityWrites,
                sign_in::{SignInToken, SignInTokens, TokenDigest},
            };
            use domain::{
                browse::{PostingBrowser, PostingSummary, WindowOrder},
                catalogue::{
                    Catalogue, CatalogueId, CatalogueLease, CatalogueQuery, Catalogues,
                    ExpiredPosting, Forgotten, LastImport, Leased, MissingPosting, OpenPosting,
                    PastImport, Released, Undone,
                },
                company::{Company, CompanyPairView, CompanyReader, CompanyView, PairKind},
                posting::{
                    AsOf, PostingVersion, PostingView, RepeatAnswer, Statement,
                    duplicate::{Apart, Candidate, Fingerprint, Number},
                },
                report::{
                    Report, ReportState, Reports, Standing, StatementPosition, Waiting,
                    WaitingObjection,
                },
                store::{ListQuery, PostingPage, PostingReader, Reads, Snapshot, Store, WriteSet},
            };
            use enrichment::{DraftCache, DraftKey, Reservation};
            use kernel::{
                CatalogueName, ClientId, CompanyId, PostingId, Prefixes, ReportId,
                SourceIdentifier, Status, StoreError, Version,
                attention::{AttentionCheck, AttentionList, StoredAttention},
                audit::{AuditLog, AuditQuery, Entry},
                event::Cursor,
                outbox::{
                    Backlog, ClaimToken, Claimed, Dismissal, Effect, Kind, Outbox, Queue, Revive,
                    SubjectTask, TaskId, TaskRow,
                },
            };
            use newsletter::{
                store::{
                    AccountState, Accounts, Store as Newsletter, SubscriberCount, SubscriberQuery,
                    SubscriberReader, WriteSet as People,
                },
                subscriber::{
                    Account, Email, MigrationToken, Remembered, Subscriber, SubscriberId,
                },
            };
            use time::{Duration, OffsetDateTime};
            use uuid::Uuid;
            use webhooks::{
                DeliveryRecord, Endpoint, EndpointBacklog, EndpointId, EndpointWrite, Lease,
                LeaseQuery, Owner, Recorded, Release, Round, TrackedEndpoint, WaitingSubject,
                Webhooks,
            };
            use $crate::{
                account, attention, audit, catalogue, client, company, console, draft, duplicate,
                erasure, outbox, posting, report, sign_in, subscriber, webhook,
            };

            $crate::port! {
                impl Reads for $store {
                    query posting::load(
                        identifiers: &[SourceIdentifier], companies: &[CompanyId]
                    ) -> Snapshot;
                    query posting::load_by_id(ids: &[PostingId]) -> Snapshot;
                    query posting::repeat_answers(
                        identifiers: &[SourceIdentifier]
                    ) -> HashMap<SourceIdentifier, RepeatAnswer>;
                    query duplicate::candidates(
                        fingerprints: &[Fingerprint], named: &[PostingId]
                    ) -> Vec<Candidate>;
                    query duplicate::numbered(numbers: &[Number]) -> Vec<Candidate>;
                    query duplicate::copies(
                        of: &[PostingId], after: Option<PostingId>, limit: usize
                    ) -> Vec<Candidate>;
                    query duplicate::told_apart(pairs: &[Apart]) -> HashSet<Apart>;
                    query client::prefixes(clients: &[ClientId]) -> HashMap<ClientId, Prefixes>;
                    query posting::overdue(
                        now: OffsetDateTime, limit: usize
                    ) -> Vec<SourceIdentifier>;
                    query posting::held(
                        before: OffsetDateTime, limit: usize
                    ) -> Vec<SourceIdentifier>;
                    query posting::records(
                        import: Uuid, postings: &[PostingId]
                    ) -> Vec<PostingVersion>;
                    query posting::records_after(
                        versions: &[(PostingId, Version)]
                    ) -> Vec<PostingVersion>;
                }

                impl Store for $store {
                    also {
                        async fn commit(&self, writes: WriteSet) -> Result<(), StoreError> {
                            if writes.is_empty() {
                                return Ok(());
                            }
                            self.write_commit(writes).await
                        }
                    }
                }

                impl PostingReader for $store {
                    query posting::find(identifier: &SourceIdentifier) -> Option<PostingView>;
                    query posting::list(asked: &ListQuery) -> PostingPage;
                    query posting::as_of(
                        identifier: &SourceIdentifier, moment: AsOf
                    ) -> Option<PostingView>;
                    query posting::versions(
                        identifier: &SourceIdentifier, before: Option<Version>, limit: usize
                    ) -> Option<Vec<PostingVersion>>;
                }

                impl CompanyReader for $store {
                    query company::companies(after: &str, limit: usize) -> Vec<CompanyView>;
                    query company::companies_named(
                        beginning: &str, limit: usize
                    ) -> Vec<CompanyView>;
                    query company::company(id: CompanyId) -> Option<CompanyView>;
                    query company::aliases(of: CompanyId, limit: usize) -> Vec<CompanyView>;
                    query company::alike(to: &Company, limit: usize) -> Vec<CompanyView>;
                    query company::company_pairs(
                        kind: PairKind, after: Option<[CompanyId; 2]>, limit: usize
                    ) -> Vec<CompanyPairView>;
                    query company::count_postings(
                        company: CompanyId, most: usize
                    ) -> BTreeMap<Status, usize>;
                    query company::misplaced(
                        company: &Company, after: Option<PostingId>, limit: usize
                    ) -> Vec<(PostingId, SourceIdentifier)>;
                }

                impl Accounts for $store {
                    repeatable account::release(holder: Uuid) -> ();
                    query account::account_state(of: Account) -> AccountState;
                    repeatable account::keep_account_state(of: Account, state: &AccountState) -> ();
                    also {
                        async fn lease(
                            &self,
                            accounts: &[Account],
                            holder: Uuid,
                            until: OffsetDateTime,
                            now: OffsetDateTime,
                        ) -> Result<bool, StoreError> {
                            let accounts = accounts.iter().map(|it| it.as_str()).collect();
                            let leased = self.transaction(async move |conn| {
                                account::lease(conn, &accounts, holder, until, now).await
                            });
                            match leased.await {
                                Ok(()) => Ok(true),
                                // The rollback also releases accounts that this call leased.
                                Err(StoreError::Conflict) => Ok(false),
                                Err(error) => Err(error),
                            }
                        }
                    }
                }

                impl AttentionList for $store {
                    query attention::attention() -> StoredAttention;
                    also {
                        async fn record_check(
                            &self,
                            check: &AttentionCheck,
                        ) -> Result<(), StoreError> {
                            self.write_commit(check.clone()).await
                        }
                    }
                }

                impl AuditLog for $store {
                    query audit::entries(query: &AuditQuery) -> Vec<Entry>;
                }

                impl Catalogues for $store {
                    transaction catalogue::lease(query: &CatalogueQuery) -> Leased;
                    write catalogue::renew(lease: CatalogueLease, until: OffsetDateTime) -> bool;
                    transaction catalogue::finish(
                        lease: CatalogueLease, import: &PastImport, keeps_held: bool
                    ) -> bool;
                    query catalogue::open_postings(
                        of: CatalogueId, after: Option<PostingId>, limit: usize
                    ) -> Vec<OpenPosting>;
                    query catalogue::misses(
                        of: CatalogueId, postings: &[PostingId]
                    ) -> HashMap<PostingId, u8>;
                    query catalogue::missing(
                        of: CatalogueId, after: Option<PostingId>, limit: usize
                    ) -> Vec<MissingPosting>;
                    query catalogue::expired_last(
                        of: CatalogueId, after: Option<PostingId>, limit: usize
                    ) -> Vec<ExpiredPosting>;
                    query catalogue::changed_last(
                        of: CatalogueId, after: Option<PostingId>, limit: usize
                    ) -> Option<(Uuid, Vec<ExpiredPosting>)>;
                    transaction catalogue::finish_undo(lease: CatalogueLease) -> Option<Undone>;
                    transaction catalogue::finish_release(
                        lease: CatalogueLease
                    ) -> Option<Released>;
                    write catalogue::forget_missed(limit: usize) -> usize;
                    query catalogue::find(
                        client: ClientId, name: &CatalogueName, now: OffsetDateTime
                    ) -> Option<Catalogue>;
                    query catalogue::find_by_id(
                        id: CatalogueId, now: OffsetDateTime
                    ) -> Option<Catalogue>;
                    query catalogue::list(client: ClientId, now: OffsetDateTime) -> Vec<Catalogue>;
                    query catalogue::last_imports(limit: usize) -> Vec<LastImport>;
                    transaction catalogue::delete(
                        client: ClientId,
                        name: &CatalogueName,
                        now: OffsetDateTime,
                        entry: Option<&Entry>
                    ) -> Forgotten;
                }

                impl Clients for $store {
                    transaction client::insert(client: &Client, entry: Option<&Entry>) -> ();
                    query client::find(id: ClientId) -> Option<Client>;
                    query client::list(limit: usize) -> Vec<Client>;
                    query client::versions(ids: &[ClientId]) -> HashMap<ClientId, Version>;
                    transaction client::update(write: &ClientWrite, entry: Option<&Entry>) -> ();
                }

                impl ActivityLog for $store {
                    query client::activities(
                        clients: &[ClientId], with_refusals: bool
                    ) -> HashMap<ClientId, Activity>;
                    also {
                        async fn record(&self, writes: &ActivityWrites) -> Result<(), StoreError> {
                            if writes.is_empty() {
                                return Ok(());
                            }
                            self.write_commit(client::merged(writes)).await
                        }
                    }
                }

                impl PostingBrowser for $store {
                    query console::window(order: &WindowOrder, limit: usize) -> Vec<PostingSummary>;
                    query console::count_status(status: Status, most: usize) -> usize;
                    query console::visible() -> BTreeMap<ClientId, u64>;
                    query console::held_back(now: OffsetDateTime) -> BTreeMap<ClientId, u64>;
                }

                impl DraftCache for $store {
                    repeatable draft::keep(
                        key: &DraftKey, text: &str, of: Option<PostingId>, now: OffsetDateTime
                    ) -> ();
                    repeatable draft::release(key: &DraftKey, holder: Uuid) -> ();
                    repeatable draft::forget(before: OffsetDateTime, limit: usize) -> u64;
                    also {
                        async fn reserve(
                            &self,
                            key: &DraftKey,
                            holder: Uuid,
                            until: OffsetDateTime,
                            now: OffsetDateTime,
                        ) -> Result<Reservation, StoreError> {
                            self.reserve_draft(*key, holder, until, now).await
                        }
                    }
                }

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

                impl Reports for $store {
                    query report::report(id: ReportId) -> Option<Report>;
                    query report::standing(
                        posting: PostingId, email: Option<&String>, since: OffsetDateTime
                    ) -> Standing;
                    query report::waiting_reports(postings: &[PostingId]) -> Vec<Report>;
                    query report::reports(
                        state: ReportState, after: Option<(OffsetDateTime, ReportId)>, limit: usize
                    ) -> Vec<Report>;
                    query report::count_waiting() -> Waiting;
                    write report::forget_reporters(
                        decided_before: OffsetDateTime, limit: usize
                    ) -> usize;
                    query report::statements(
                        since: OffsetDateTime, after: Option<StatementPosition>, limit: usize
                    ) -> Vec<Statement>;
                    query report::waiting_objections(limit: usize) -> Vec<WaitingObjection>;
                }

                impl SignInTokens for $store {
                    transaction sign_in::add_token(
                        token: &SignInToken, entry: Option<&Entry>
                    ) -> ();
                    query sign_in::find_tokens(digests: &[TokenDigest]) -> Vec<SignInToken>;
                    transaction sign_in::redeem_link(
                        link: &TokenDigest, session: &SignInToken, entry: &Entry
                    ) -> bool;
                    transaction sign_in::end_session(session: &TokenDigest, entry: &Entry) -> bool;
                    repeatable sign_in::forget_tokens(
                        before: OffsetDateTime, limit: usize
                    ) -> usize;
                }

                impl Newsletter for $store {
                    query subscriber::load(emails: &[Email]) -> HashMap<Email, Subscriber>;
                    query subscriber::load_by_id(
                        ids: &[SubscriberId]
                    ) -> HashMap<SubscriberId, Subscriber>;
                    query subscriber::find_by_token(token: &MigrationToken) -> Option<Subscriber>;
                    query erasure::remembered(emails: &[Email]) -> HashMap<Email, Remembered>;
                    also {
                        async fn commit(&self, writes: People) -> Result<(), StoreError> {
                            if writes.is_empty() {
                                return Ok(());
                            }
                            self.write_commit(writes).await
                        }
                    }
                }

                impl SubscriberReader for $store {
                    query subscriber::list(query: &SubscriberQuery) -> Vec<Subscriber>;
                    query subscriber::counts() -> Vec<SubscriberCount>;
                }

                impl Webhooks for $store {
                    transaction webhook::insert(
                        endpoint: &Endpoint, start: Cursor, entry: Option<&Entry>
                    ) -> ();
                    query webhook::find(id: EndpointId) -> Option<TrackedEndpoint>;
                    query webhook::list(
                        owner: Option<Owner>, after: Option<EndpointId>, limit: usize
                    ) -> Vec<TrackedEndpoint>;
                    transaction webhook::update(write: &EndpointWrite, entry: Option<&Entry>) -> ();
                    transaction webhook::delete(id: EndpointId, entry: Option<&Entry>) -> bool;
                    transaction webhook::replay(
                        id: EndpointId, to: Cursor, entry: Option<&Entry>
                    ) -> bool;
                    transaction webhook::resend(
                        id: EndpointId, event: &WaitingSubject, entry: Option<&Entry>
                    ) -> bool;
                    query webhook::deliveries(id: EndpointId, limit: usize) -> Vec<DeliveryRecord>;
                    repeatable webhook::renew(
                        leases: &[Lease], until: OffsetDateTime
                    ) -> HashMap<Lease, Version>;
                    repeatable webhook::release(releases: &[Release]) -> ();
                    query webhook::due(
                        endpoint: EndpointId, now: OffsetDateTime, limit: usize
                    ) -> Vec<WaitingSubject>;
                    query webhook::waiting_among(
                        endpoint: EndpointId, subjects: &HashSet<Uuid>
                    ) -> Vec<WaitingSubject>;
                    query webhook::count_waiting(endpoint: EndpointId, limit: usize) -> usize;
                    query webhook::backlog(limit: usize) -> Vec<EndpointBacklog>;
                    also {
                        async fn lease(
                            &self,
                            query: &LeaseQuery,
                        ) -> Result<Vec<TrackedEndpoint>, StoreError> {
                            self.lease_endpoints(*query).await
                        }

                        async fn record(
                            &self,
                            holder: Uuid,
                            round: &Round,
                        ) -> Result<Recorded, StoreError> {
                            self.write_commit((holder, round.clone())).await
                        }
                    }
                }
            }
        };
    };
}
