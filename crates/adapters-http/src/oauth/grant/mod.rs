//! The bridge to oxide-auth: its client-credentials state machine and its resource guard, on this
//! service's clients and tokens.
//!
//! oxide-auth uses chrono and the system clock; both stay inside this module.

mod credentials;
mod issuer;
mod resource;

pub(super) use self::{
    credentials::issue,
    resource::{Verdict, guard},
};
