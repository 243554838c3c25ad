//! Shared options; [`values`] parses their values.

mod console;
mod enricher;
mod ground;
mod newsletter;
mod operator;
mod service;
mod store;
pub mod values;

pub use cli::{json::JsonArgs, program::exit_code};

pub use self::{
    console::{ConsoleArgs, ConsoleUrlArgs},
    enricher::EnricherKind,
    ground::GroundArgs,
    newsletter::{AccountsArgs, NewsletterArgs},
    operator::OperatorArgs,
    service::{
        AdminArgs, AppealArgs, HttpArgs, LONGEST_TEXTS_KEPT, LaneArgs, LifetimeArgs, PublicUrlArgs,
        TokenArgs, WebhookAddressArgs, WorkArgs,
    },
    store::{ChangeArgs, DataDirArgs, ListArgs, StoreArgs},
};
