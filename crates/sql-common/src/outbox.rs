//! The table `outbox`: its rows and statements.

mod list;
mod settle;

use diesel::sql_types::{BigInt, Nullable, Text};
use kernel::{
    StoreError,
    outbox::{ClaimToken, Claimed, Effect, Queue, TaskId, TaskWrites},
    trace::TraceParent,
};
use time::OffsetDateTime;
use uuid::Uuid;

pub use self::{
    list::{backlog, dead_among, dismiss, list, revive, tasks_of},
    settle::{give_back, give_up, renew, retry},
};
use crate::{
    each, read,
    stored::{Decode, trace},
    types::{Count, Id, Moment},
    value::Named,
    written,
};

pub type EffectRecord = (Effect, Option<TraceParent>, OffsetDateTime);

pub fn effects_of(tasks: &TaskWrites) -> impl Iterator<Item = EffectRecord> {
    let at = tasks.at;
    let asked = tasks.asked().zip(tasks.traces());
    asked.map(move |(effect, trace)| (effect, trace, at))
}

written! {
    EffectAsked = outbox of EffectRecord {
        kind = Text(|(effect, ..)| Some(effect.kind().as_str())),
        subject = Id(|(effect, ..)| Some(effect.key())),
        lane = Text(|(effect, ..)| effect.queue().lane()),
        next_at = Time(|(.., at)| Some(*at)),
        created_at = Time(|(.., at)| Some(*at)),
        trace_parent = Rendered(|(_, trace, _)| trace.as_ref().map(|trace| trace as _)),
    }
}

pub fn each_effect<'a>(effects: &[Effect]) -> Vec<Vec<Named<'a>>> {
    each! { effects, it => kind: it.kind().as_str(), subject: it.key() }
}

read! {
    ClaimedRow = outbox {
        id: BigInt,
        subject: Id,
        generation: BigInt,
        attempts: Count,
        next_at: Moment,
        first_failed_at: Nullable<Moment>,
        lost: Count,
        trace_parent: Nullable<Text>,
    }
}

impl ClaimedRow {
    pub fn claimed(self, queue: Queue, lease: Uuid) -> Result<Claimed, StoreError> {
        Ok(Claimed {
            token: ClaimToken {
                task: TaskId(self.id),
                generation: self.generation,
                lease,
            },
            attempts: self.attempts.decode("outbox.attempts")?,
            first_failed_at: self.first_failed_at.decode("outbox.first_failed_at")?,
            lost: self.lost.decode("outbox.lost")?,
            trace: trace(self.trace_parent.as_deref()),
            effect: Effect::new(queue, self.subject.uuid("outbox.subject")?),
        })
    }
}
