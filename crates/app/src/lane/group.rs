//! Groups of lanes: those of pushes, and those of the lines of imports.

use std::{
    hash::{BuildHasher as _, RandomState},
    sync::Arc,
    time::Duration,
};

use domain::{
    posting::{Answer, PutPosting},
    usecase::IngestError,
};
use kernel::SourceIdentifier;
use tokio::{
    sync::{OwnedSemaphorePermit, Semaphore, mpsc},
    task::JoinSet,
    time::{Instant, timeout_at},
};
use tokio_util::sync::CancellationToken;

use super::{
    blocked::BlockedCommands,
    job::{Job, Reply, STOPPED, STOPPING, TOO_LONG, unavailable},
    pace::Limits,
    read::Reader,
    run::Runner,
    turns::Turns,
    write::Writer,
};

/// Numbers and limits of a group.
#[derive(Clone, Copy, Debug)]
pub(super) struct GroupSettings {
    /// How many lanes it has.
    pub lanes: usize,
    /// How many commands may be under way.
    pub queue: usize,
    /// The limits of each lane.
    pub limits: Limits,
}

/// Lanes that commands are spread over by their identifier, and the slots of the commands.
pub(super) struct Group {
    intakes: Vec<Intake>,
    slots: Arc<Semaphore>,
    queue: usize,
    hasher: RandomState,
}

/// The sending end of a lane's queue.
struct Intake {
    // Unbounded, because the slots bound the number of commands.
    queue: mpsc::UnboundedSender<Job>,
    runner: Arc<Runner>,
}

impl Intake {
    /// Queues a command; false once the lane has stopped.
    fn accept(&self, job: Job) -> bool {
        self.runner.note_queued();
        let is_accepted = self.queue.send(job).is_ok();
        if !is_accepted {
            self.runner.note_read(1);
        }
        is_accepted
    }
}

/// The tasks of lanes, and how they are stopped.
#[derive(Default)]
pub(super) struct Tasks {
    pub stop: CancellationToken,
    pub set: JoinSet<()>,
}

impl Group {
    /// Starts lanes.
    pub fn start(
        settings: GroupSettings,
        runner: impl Fn(Limits) -> Arc<Runner>,
        turns: Option<Turns>,
        tasks: &mut Tasks,
    ) -> Self {
        let turns = turns.map(Arc::new);
        let queue = settings.queue.max(1);
        let intakes = (0..settings.lanes.max(1)).map(|_| {
            let runner = runner(settings.limits);
            let (queue, waiting) = mpsc::unbounded_channel();
            let (pass_on, changes) = mpsc::unbounded_channel();
            let blocked = BlockedCommands::new(Arc::clone(&runner));
            let (of_writer, of_reader) = (Arc::clone(&blocked), blocked);
            let writer = Writer::new(Arc::clone(&runner), of_writer, turns.clone());
            tasks.set.spawn(writer.run(changes));
            let reader = Reader::new(Arc::clone(&runner), of_reader, pass_on);
            tasks.set.spawn(reader.run(waiting, tasks.stop.clone()));
            Intake { queue, runner }
        });
        Self {
            intakes: intakes.collect(),
            slots: Arc::new(Semaphore::new(queue)),
            queue,
            hasher: RandomState::new(),
        }
    }

    /// A gauge of the commands in flight.
    pub fn under_way(&self) -> impl Fn() -> usize + Send + Sync + 'static {
        let (slots, all) = (Arc::clone(&self.slots), self.queue);
        move || all - slots.available_permits()
    }

    /// A slot, if one is free.
    pub fn free_slot(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.slots).try_acquire_owned().ok()
    }

    /// Queues a command in the lane of its posting; false once the lanes have stopped.
    pub fn accept(&self, job: Job) -> bool {
        let lane = self.lane_of(&job.put.identifier);
        lane.is_some_and(|lane| lane.accept(job))
    }

    fn lane_of(&self, identifier: &SourceIdentifier) -> Option<&Intake> {
        let lane = self.hasher.hash_one(identifier) % self.intakes.len() as u64;
        usize::try_from(lane)
            .ok()
            .and_then(|lane| self.intakes.get(lane))
    }

    /// Queues commands in their order, as slots become free, and waits for their answers.
    pub async fn put_all(
        &self,
        puts: Vec<Arc<PutPosting>>,
        is_dry_run: bool,
        within: Duration,
    ) -> Vec<Result<Answer, IngestError>> {
        let mut batches = Vec::new();
        let mut puts = puts.into_iter();
        while !puts.as_slice().is_empty() {
            let batch = puts.by_ref().take(self.queue);
            batches.push(self.queue(batch.collect(), is_dry_run, within).await);
        }
        let mut answers = Vec::new();
        for batch in batches {
            answers.extend(batch.answers().await);
        }
        answers
    }

    /// Waits for slots for a batch, of which there are enough in all, and queues it.
    async fn queue(&self, puts: Vec<Arc<PutPosting>>, is_dry_run: bool, within: Duration) -> Batch {
        let count = puts.len();
        let wanted = u32::try_from(count).unwrap_or(u32::MAX);
        let slots = Arc::clone(&self.slots).acquire_many_owned(wanted).await;
        let deadline = Instant::now() + within;
        let (reply, replies) = mpsc::unbounded_channel();
        // They are never closed.
        let mut slots = slots.ok();
        for (place, put) in puts.into_iter().enumerate() {
            let Some(slot) = slots.as_mut().and_then(|slots| slots.split(1)) else {
                break;
            };
            let is_accepted = self.accept(Job {
                put,
                is_dry_run,
                snapshot: None,
                deadline,
                reply: Reply::Line(place, reply.clone()),
                _slot: slot,
            });
            if !is_accepted {
                // The answer is nobody's if the import is gone.
                let _ = reply.send((place, Err(unavailable(STOPPING))));
            }
        }
        Batch {
            count,
            deadline,
            replies,
        }
    }
}

/// A batch that was queued.
struct Batch {
    count: usize,
    deadline: Instant,
    replies: mpsc::UnboundedReceiver<(usize, Result<Answer, IngestError>)>,
}

impl Batch {
    /// Waits for the answers, in the order of the commands.
    async fn answers(mut self) -> Vec<Result<Answer, IngestError>> {
        let mut answers: Vec<_> = (0..self.count).map(|_| None).collect();
        let mut missing = self.count;
        let mut why = TOO_LONG;
        while missing > 0 {
            match timeout_at(self.deadline, self.replies.recv()).await {
                Ok(Some((place, answer))) => {
                    if let Some(slot) = answers.get_mut(place) {
                        *slot = Some(answer);
                    }
                    missing -= 1;
                }
                // A lane drops the commands that are late.
                Ok(None) if self.deadline > Instant::now() => {
                    why = STOPPED;
                    break;
                }
                Ok(None) | Err(_) => break,
            }
        }
        let answers = answers.into_iter();
        answers
            .map(|answer| answer.unwrap_or_else(|| Err(unavailable(why))))
            .collect()
    }
}
