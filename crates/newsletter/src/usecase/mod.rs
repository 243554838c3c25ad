//! The use cases: load, decide, commit. Each takes its ports and the time.

mod erase;
mod launch;
mod migrate;
mod moves;
mod newsletter;
mod notice;
mod operate;
mod people;
mod person;
mod reconcile;
mod report;
mod sync;
mod unsubscribe;
mod withdraw;

#[cfg(test)]
mod tests;

pub use self::{
    erase::{erase, recall},
    launch::{Forecast, PAGE as LAUNCH_PAGE, People, count_to_move, sample_to_move},
    migrate::{
        Migration, MoveStep, begin_move, confirm_migration, join, leave, look_up, migrate,
        record_found, record_joined, record_move,
    },
    moves::{MoveMonitor, Moves},
    newsletter::{Newsletter, NewsletterError, Reported},
    notice::notice_events,
    operate::{Operated, import_suppressions, reinstate, rotate_token, suppress},
    person::{PersonCommand, PersonError, PersonOutcome, PersonRef, decide_about_person},
    reconcile::{look_for, reconcile},
    report::{
        decide_subscribers, find_subscriber, find_subscriber_by_token, put_subscriber,
        put_subscribers,
    },
    sync::{ProviderJob, begin_sync, is_still_due, record_sync, sync},
    unsubscribe::unsubscribe_holder,
    withdraw::{
        NextLook, Waiting, Withdrawal, begin_withdrawal, finish_withdrawal, look, next_withdrawal,
        record_withdrawal, withdraw,
    },
};
