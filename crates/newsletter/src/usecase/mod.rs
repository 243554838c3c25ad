//! The use cases: load, decide, commit. Each takes its ports and the time.

mod erase;
mod launch;
mod link;
mod migrate;
mod moves;
mod newsletter;
mod notice;
mod operate;
mod people;
mod person;
mod reconcile;
mod report;
mod run;
mod sync;
mod task;
mod withdraw;

#[cfg(test)]
mod tests;

pub use self::{
    erase::{Erased, erase},
    launch::{Forecast, PAGE as LAUNCH_PAGE, People, count_to_move, sample_to_move},
    link::{confirm_migration, unsubscribe_holder},
    migrate::{Migration, carry_out_move, migrate},
    moves::{MoveMonitor, Moves},
    newsletter::{Newsletter, NewsletterError, Reported},
    notice::notice_events,
    operate::{Operated, import_suppressions, suppress},
    person::{PersonCommand, PersonError, PersonRef, decide_about_person},
    reconcile::{ListCounts, look_for, reconcile},
    report::{
        decide_subscribers, find_subscriber, find_subscriber_by_token, put_subscriber,
        put_subscribers,
    },
    run::Run,
    sync::carry_out_sync,
    task::{Step, TaskError, TaskPorts, Waiting},
    withdraw::carry_out_withdrawal,
};
