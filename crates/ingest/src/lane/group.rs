//! Groups of lanes: for pushes, and for lines of imports.

use std::{
    hash::{BuildHasher as _, RandomState},
    sync::Arc,
    time::Duration,
};

use domain::{
    catalogue::CatalogueLease,
    posting::{Answer, PutPosting},
    usecase::IngestError,
};
use runtime::Loops;
use tokio::{
    sync::{
        OwnedSemaphorePermit, Semaphore,
        mpsc::{self, error::SendError},
        oneshot,
    },
    time::Instant,
};

use super::{
    context::Context,
    job::{Job, Pending, STOPPING, unavailable},
    priority::PrioritySemaphore,
    task::{GroupSettings, Lane},
};

pub(super) struct Group {
    // Unbounded, because the slots bound the number of commands.
    lanes: Vec<mpsc::UnboundedSender<Job>>,
    slots: Arc<Semaphore>,
    queue: usize,
    hasher: RandomState,
}

impl Group {
    pub fn start(
        settings: GroupSettings,
        context: &Arc<Context>,
        priority: Option<PrioritySemaphore>,
        loops: &mut Loops,
    ) -> Self {
        let priority = priority.map(Arc::new);
        let queue = settings.queue.max(1);
        let lanes = (0..settings.lanes.max(1)).map(|_| {
            let (lane, arriving) = mpsc::unbounded_channel();
            let task = Lane::new(Arc::clone(context), settings, priority.clone());
            loops.spawn(|stop| task.run(arriving, stop));
            lane
        });
        Self {
            lanes: lanes.collect(),
            slots: Arc::new(Semaphore::new(queue)),
            queue,
            hasher: RandomState::new(),
        }
    }

    pub fn under_way(&self) -> impl Fn() -> usize + Send + Sync + 'static {
        let (slots, all) = (Arc::clone(&self.slots), self.queue);
        move || all - slots.available_permits()
    }

    pub fn free_slot(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.slots).try_acquire_owned().ok()
    }

    /// Queues a command in its posting's lane, with this deadline.
    pub fn queue(
        &self,
        put: Arc<PutPosting>,
        is_dry_run: bool,
        lease: Option<CatalogueLease>,
        within: Duration,
        slot: OwnedSemaphorePermit,
    ) -> Pending {
        let deadline = Instant::now() + within;
        let (reply, answer) = oneshot::channel();
        let lane = self.hasher.hash_one(&put.identifier) % self.lanes.len() as u64;
        let lane = usize::try_from(lane)
            .ok()
            .and_then(|lane| self.lanes.get(lane));
        let job = Job {
            put,
            lease,
            is_dry_run,
            waits_for: None,
            deadline,
            reply,
            _slot: slot,
        };
        if let Some(Err(SendError(job))) = lane.map(|lane| lane.send(job)) {
            job.answer(Err(unavailable(STOPPING)));
        }
        Pending { answer, deadline }
    }

    pub async fn put_all(
        &self,
        puts: Vec<Arc<PutPosting>>,
        is_dry_run: bool,
        lease: Option<CatalogueLease>,
        within: Duration,
    ) -> Vec<Result<Answer, IngestError>> {
        let mut pending = Vec::with_capacity(puts.len());
        for puts in puts.chunks(self.queue) {
            let count = u32::try_from(puts.len()).unwrap_or(u32::MAX);
            let slots = Arc::clone(&self.slots).acquire_many_owned(count).await;
            // The semaphore is never closed, and there is a slot for each command.
            let mut slots = slots.ok();
            let mut slot = || slots.as_mut().and_then(|slots| slots.split(1));
            pending.extend(puts.iter().map_while(|put| {
                let slot = slot()?;
                Some(self.queue(Arc::clone(put), is_dry_run, lease, within, slot))
            }));
        }
        let mut answers = Vec::with_capacity(pending.len());
        for pending in pending {
            answers.push(pending.answer().await);
        }
        answers
    }
}
