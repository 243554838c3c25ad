//! Newsletter subscribers: reports of the membership system, events of the e-mail provider, and the
//! provider's two accounts.
//!
//! [`report()`] applies a report and [`notice()`] an event. [`sync`] decides which state the
//! provider gets, [`migration`] the move between its accounts. Only an operator lifts a suppression
//! ([`operator::reinstate`]).

mod change;
pub mod departure;
mod email;
mod event;
pub mod migration;
pub mod operator;
pub mod provider;
mod put;
mod readdress;
pub mod reconciliation;
mod record;
mod report;
mod suppression;
pub mod sync;
pub mod withdrawal;

#[cfg(test)]
mod tests;

pub use self::{
    change::Change,
    email::{Email, InvalidEmail, LONGEST_EMAIL},
    event::{ProviderEvent, ReceivedEvent, SignedWith, notice},
    put::{LONGEST_TEXT, PutSubscriber},
    readdress::{Readdressed, readdress},
    record::{
        Departure, DepartureKind, Membership, Migrated, MigrationToken, Place, Places, Remembered,
        Subscriber, Suppression, SuppressionSource,
    },
    report::{Report, report},
    suppression::unsubscribe,
    sync::ProviderState,
};
pub use crate::vocabulary::{
    Account, MemberStatus, MembershipStatus, MigrationSource, PlanCategory, SubscriberId,
    SubscriberStatus,
};
