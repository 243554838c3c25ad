//! Shared options; [`values`] parses their values.

mod console;
mod enricher;
mod ground;
mod newsletter;
mod operator;
mod service;
mod store;
pub mod values;

use std::process::ExitCode;

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
    store::{ChangeArgs, DataDirArgs, JsonArgs, ListArgs, StoreArgs},
};

pub fn exit_code(is_good: bool) -> ExitCode {
    if is_good {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}
