use std::collections::{HashMap, HashSet};

use access::{
    Client, ClientWrite, Clients,
    sign_in::{SignInToken, SignInTokens, TokenDigest},
};
use async_trait::async_trait;
use domain::{
    catalogue::{
        Catalogue, CatalogueId, CatalogueLease, CatalogueQuery, Catalogues, ExpiredPosting,
        Forgotten, LastImport, Leased, MissingPosting, OpenPosting, PastImport, Released, Undone,
    },
    store::{Erasure, Purge, Retention, StoreClock},
    testing::MemoryStore,
};
use kernel::{
    CatalogueName, ClientId, CompanyId, PostingId, StoreError, Version,
    audit::Entry,
    event::{Cursor, EventLog, LogError, LogPage, LogQuery, RecordedEvent},
    outbox::{
        Backlog, ClaimToken, Claimed, Dismissal, Effect, Kind, Outbox, Queue, Revive, SubjectTask,
        TaskId, TaskRow,
    },
};
use newsletter::{
    store::{AccountState, Accounts, SubscriberCount, SubscriberQuery, SubscriberReader},
    subscriber::{Account, Subscriber},
};
use time::{Duration, OffsetDateTime};
use uuid::Uuid;
use webhooks::{
    DeliveryRecord, Endpoint, EndpointBacklog, EndpointId, EndpointWrite, Lease, LeaseQuery, Owner,
    Recorded, Release, Round, TrackedEndpoint, WaitingSubject, Webhooks,
};

use super::{Port, behind_the_link};
use crate::{judge, link::Link, reached::Reached};

type Result<T, E = StoreError> = std::result::Result<T, E>;
type Time = OffsetDateTime;

#[async_trait]
impl StoreClock for Port {
    async fn time(&self) -> Result<Option<Time>> {
        self.0.read("time", self.0.world.time()).await
    }
}

behind_the_link! { Outbox;
    write claim(queue: Queue, limit: usize, lease: Duration, id: Uuid, now: Time) -> Result<Vec<Claimed>>
        => async |link: &Link, done: &Vec<Claimed>| judge::claimed(&link.world, &link.name, done);
    read has_crashed(queue: Queue, now: Time) -> Result<bool>;
    write claim_crashed(queue: Queue, lease: Duration, id: Uuid, now: Time) -> Result<Option<Claimed>>
        => async |link: &Link, done: &Option<Claimed>| {
            judge::claimed(&link.world, &link.name, done.as_slice());
        };
    write renew(tokens: &[ClaimToken], until: Time) -> Result<()>;
    write give_back(tokens: &[ClaimToken], at: Time) -> Result<()>;
    write retry(token: ClaimToken, next_at: Time, error: &str, now: Time) -> Result<()>;
    write give_up(token: ClaimToken, error: &str, now: Time) -> Result<()>;
    read list(dead: bool, after: Option<TaskId>, limit: usize) -> Result<Vec<TaskRow>>;
    read dead_among(effects: &[Effect]) -> Result<Vec<Effect>>;
    read tasks_of(subject: Uuid, kinds: &[Kind], limit: usize) -> Result<Vec<SubjectTask>>;
    write revive(which: &Revive, entry: Option<&Entry>, now: Time) -> Result<u64>;
    write dismiss(tasks: &[TaskId], dismissal: &Dismissal) -> Result<u64>;
    read backlog(kinds: &[Kind]) -> Result<Vec<Backlog>>;
}

behind_the_link! { EventLog;
    read read(query: &LogQuery) -> Result<LogPage, LogError>;
    read events_at(cursors: &[Cursor]) -> Result<Vec<RecordedEvent>>;
    read newest_of(companies: &[CompanyId]) -> Result<HashMap<CompanyId, Cursor>>;
    read end() -> Result<Cursor>;
    read cursor_at(at: Time) -> Result<Cursor>;
    write forget(before: Time, limit: usize) -> Result<usize>;
}

behind_the_link! { Clients;
    write insert(client: &Client, entry: Option<&Entry>) -> Result<()>;
    read find(id: ClientId) -> Result<Option<Client>>;
    read list(limit: usize) -> Result<Vec<Client>>;
    read versions(ids: &[ClientId]) -> Result<HashMap<ClientId, Version>>;
    write update(write: &ClientWrite, entry: Option<&Entry>) -> Result<()>;
}

behind_the_link! { SignInTokens;
    write add_token(token: &SignInToken, entry: Option<&Entry>) -> Result<()>;
    read find_tokens(digests: &[TokenDigest]) -> Result<Vec<SignInToken>>;
    write redeem_link(link: &TokenDigest, session: &SignInToken, entry: &Entry) -> Result<bool>;
    write end_session(session: &TokenDigest, entry: &Entry) -> Result<bool>;
    write forget_tokens(before: Time, limit: usize) -> Result<usize>;
}

behind_the_link! { Retention;
    write drop_texts(expired_before: Time, limit: usize) -> Result<usize>
        => async |link: &Link, done: &usize| {
            if *done > 0 {
                link.world.reach(Reached::DroppedTexts);
            }
        };
    write forget_versions(before: Time, limit: usize) -> Result<usize>;
    write purge(purge: &Purge) -> Result<usize>;
    write erase(erasure: &Erasure) -> Result<()>;
}

behind_the_link! { SubscriberReader;
    read list(query: &SubscriberQuery) -> Result<Vec<Subscriber>>;
    read counts() -> Result<Vec<SubscriberCount>>;
}

behind_the_link! { Accounts;
    write lease(accounts: &[Account], holder: Uuid, until: Time, now: Time) -> Result<bool>;
    write release(holder: Uuid) -> Result<()>;
    read account_state(account: Account) -> Result<AccountState>;
    write keep_account_state(account: Account, state: &AccountState) -> Result<()>;
}

behind_the_link! { Catalogues;
    write lease(query: &CatalogueQuery) -> Result<Leased> => async |link: &Link, done: &Leased| {
        judge::leased(&link.world, &link.name, query, *done);
    };
    write renew(lease: CatalogueLease, until: Time) -> Result<bool>;
    write finish(lease: CatalogueLease, import: &PastImport, keeps_held: bool) -> Result<bool> => async |link: &Link, done: &bool| {
        if *done {
            judge::finished(&link.world, lease, import).await;
        }
    };
    read open_postings(of: CatalogueId, after: Option<PostingId>, limit: usize) -> Result<Vec<OpenPosting>>
        => async |link: &Link, done: &Vec<OpenPosting>| link.world.catalogues().read(of, done);
    read misses(of: CatalogueId, postings: &[PostingId]) -> Result<HashMap<PostingId, u8>>;
    read missing(of: CatalogueId, after: Option<PostingId>, limit: usize) -> Result<Vec<MissingPosting>>
        => async |link: &Link, done: &Vec<MissingPosting>| judge::missing(&link.world, of, done);
    read expired_last(of: CatalogueId, after: Option<PostingId>, limit: usize) -> Result<Vec<ExpiredPosting>>;
    read changed_last(of: CatalogueId, after: Option<PostingId>, limit: usize) -> Result<Option<(Uuid, Vec<ExpiredPosting>)>>;
    write finish_undo(lease: CatalogueLease) -> Result<Option<Undone>>
        => async |link: &Link, done: &Option<Undone>| {
            if let Some(told) = done {
                judge::undone(&link.world, lease, *told).await;
            }
        };
    write finish_release(lease: CatalogueLease) -> Result<Option<Released>>
        => async |link: &Link, done: &Option<Released>| {
            if let Some(told) = done {
                judge::released(&link.world, lease, *told);
            }
        };
    write forget_missed(limit: usize) -> Result<usize>;
    read find(client: ClientId, name: &CatalogueName, now: Time) -> Result<Option<Catalogue>>;
    read find_by_id(id: CatalogueId, now: Time) -> Result<Option<Catalogue>>;
    read list(client: ClientId, now: Time) -> Result<Vec<Catalogue>>;
    read last_imports(limit: usize) -> Result<Vec<LastImport>>;
    write delete(client: ClientId, name: &CatalogueName, now: Time, entry: Option<&Entry>)
        -> Result<Forgotten>
        => async |link: &Link, done: &Forgotten| {
            if *done == Forgotten::Done {
                link.world.catalogues().forget(client);
            }
        };
}

behind_the_link! { Webhooks;
    write insert(endpoint: &Endpoint, start: Cursor, entry: Option<&Entry>) -> Result<()>;
    read find(id: EndpointId) -> Result<Option<TrackedEndpoint>>;
    read list(owner: Option<Owner>, after: Option<EndpointId>, limit: usize) -> Result<Vec<TrackedEndpoint>>;
    write update(write: &EndpointWrite, entry: Option<&Entry>) -> Result<()>;
    write delete(id: EndpointId, entry: Option<&Entry>) -> Result<bool>;
    write replay(id: EndpointId, to: Cursor, entry: Option<&Entry>) -> Result<bool>
        => async |link: &Link, done: &bool| {
            if *done && link.world.deliveries().replayed(id, to) {
                link.world.reach(Reached::Replayed);
            }
        };
    write resend(id: EndpointId, event: &WaitingSubject, entry: Option<&Entry>) -> Result<bool>;
    read deliveries(id: EndpointId, limit: usize) -> Result<Vec<DeliveryRecord>>;
    write lease(query: &LeaseQuery) -> Result<Vec<TrackedEndpoint>>
        => async |link: &Link, done: &Vec<TrackedEndpoint>| {
            judge::endpoints_leased(&link.world, &link.name, query, done);
        };
    write renew(leases: &[Lease], until: Time) -> Result<HashMap<Lease, Version>>
        => async |link: &Link, done: &HashMap<Lease, Version>| {
            link.world.deliveries().renewed(done.keys().copied(), until);
        };
    write release(releases: &[Release]) -> Result<()> => async |link: &Link, (): &()| {
        let leases = releases.iter().map(|release| release.lease);
        link.world.deliveries().released(leases);
    };
    read due(endpoint: EndpointId, now: Time, limit: usize) -> Result<Vec<WaitingSubject>>;
    read waiting_among(endpoint: EndpointId, subjects: &HashSet<Uuid>) -> Result<Vec<WaitingSubject>>;
    read count_waiting(endpoint: EndpointId, limit: usize) -> Result<usize>;
    write record(holder: Uuid, round: &Round) -> Result<Recorded>
        => async |link: &Link, done: &Recorded| {
            judge::recorded(&link.world, holder, round, *done);
        };
    read backlog(limit: usize) -> Result<Vec<EndpointBacklog>>;
}
