use std::collections::{HashMap, HashSet};

use ::webhooks::{
    DeliveryRecord, Endpoint, EndpointBacklog, EndpointId, EndpointWrite, Owner, Recorded, Round,
    WaitingSubject,
};
use kernel::{Version, audit::Entry, event::Cursor};
use time::OffsetDateTime;

use super::*;

/// Endpoints whose leases end a while after their round is recorded or released. Counts queries for
/// endpoints and commits of rounds. The store can be made unavailable.
pub(super) struct SlowEndpoints {
    pub memory: Arc<MemoryStore>,
    pub questions: Arc<AtomicUsize>,
    pub commits: Arc<AtomicUsize>,
    pub is_away: Arc<AtomicBool>,
}

const WHILE: Duration = Duration::from_millis(150);

impl SlowEndpoints {
    fn reach(&self) -> Result<(), StoreError> {
        if self.is_away.load(Ordering::SeqCst) {
            return Err(StoreError::Unavailable("a test".to_owned()));
        }
        Ok(())
    }
}

/// Implements the port with the store in memory, and runs code before and after each call.
macro_rules! slow {
    ($($call:ident($($name:ident: $type:ty),*) -> $result:ty
        $(=> $before:expr)? $(, then $after:expr)?;)+) => {
        #[async_trait]
        impl Webhooks for SlowEndpoints {
            $(async fn $call(&self, $($name: $type),*) -> Result<$result, StoreError> {
                $(let before = $before; before(self).await?;)?
                let done = <MemoryStore as Webhooks>::$call(&self.memory, $($name),*).await;
                $(let after = $after; after(self).await;)?
                done
            })+
        }
    };
}

type Endpoints = SlowEndpoints;

slow! {
    insert(endpoint: &Endpoint, start: Cursor, entry: Option<&Entry>) -> ();
    find(id: EndpointId) -> Option<TrackedEndpoint> => async |it: &Endpoints| it.reach();
    list(owner: Option<Owner>, after: Option<EndpointId>, limit: usize) -> Vec<TrackedEndpoint>;
    update(write: &EndpointWrite, entry: Option<&Entry>) -> ();
    delete(id: EndpointId, entry: Option<&Entry>) -> bool;
    replay(id: EndpointId, to: Cursor, entry: Option<&Entry>) -> bool;
    resend(id: EndpointId, event: &WaitingSubject, entry: Option<&Entry>) -> bool;
    deliveries(id: EndpointId, limit: usize) -> Vec<DeliveryRecord>;
    lease(query: &LeaseQuery) -> Vec<TrackedEndpoint> => async |it: &Endpoints| {
        it.questions.fetch_add(1, Ordering::SeqCst);
        it.reach()
    };
    renew(leases: &[Lease], until: OffsetDateTime) -> HashMap<Lease, Version>
        => async |it: &Endpoints| match it.reach() {
            Ok(()) => Ok::<_, StoreError>(()),
            Err(_) => std::future::pending().await,
        };
    release(releases: &[Release]) -> () => async |it: &Endpoints| {
        sleep(WHILE).await;
        it.commits.fetch_add(1, Ordering::SeqCst);
        Ok::<_, StoreError>(())
    };
    due(endpoint: EndpointId, now: OffsetDateTime, limit: usize) -> Vec<WaitingSubject>;
    waiting_among(endpoint: EndpointId, subjects: &HashSet<Uuid>) -> Vec<WaitingSubject>;
    count_waiting(endpoint: EndpointId, limit: usize) -> usize;
    record(holder: Uuid, round: &Round) -> Recorded => async |it: &Endpoints| {
        it.commits.fetch_add(1, Ordering::SeqCst);
        it.reach()
    }, then async |_: &Endpoints| sleep(WHILE).await;
    backlog(limit: usize) -> Vec<EndpointBacklog>;
}
