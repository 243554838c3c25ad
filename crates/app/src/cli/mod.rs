//! The options that commands share. What their [`values`] may be stands beside them.

mod console;
mod enricher;
mod newsletter;
mod operator;
mod service;
mod store;
pub mod values;

pub use self::{
    console::{ConsoleArgs, ConsoleUrlArgs},
    enricher::EnricherKind,
    newsletter::{AccountsArgs, NewsletterArgs},
    operator::OperatorArgs,
    service::{
        AdminArgs, AppealArgs, HttpArgs, LONGEST_TEXTS_KEPT, LaneArgs, LifetimeArgs, PublicUrlArgs,
        WebhookAddressArgs, WorkArgs,
    },
    store::{ChangeArgs, DataDirArgs, JsonArgs, ListArgs, StoreArgs},
};
