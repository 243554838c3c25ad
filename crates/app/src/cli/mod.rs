//! The options that commands share.
//!
//! What the values of options may be is in [`crate::config`].

mod console;
mod enricher;
mod newsletter;
mod operator;
mod settings;
mod webhooks;

pub use self::{
    console::{ConsoleArgs, ConsoleUrlArgs},
    newsletter::{AccountsArgs, PagesArgs, WebhookArgs},
    operator::OperatorArgs,
    settings::{
        AdminArgs, AppealArgs, DataDirArgs, HttpArgs, JsonArgs, LaneArgs, LifetimeArgs,
        PublicUrlArgs, StoreArgs, WorkArgs,
    },
    webhooks::WebhookAddressArgs,
};
