//! The bridge to oxide-auth: its client-credentials machine and its resource guard, fed with
//! this service's clients and tokens.
//!
//! oxide-auth tells time in chrono and by the machine's clock; both end here.

mod credentials;
mod issuer;
mod resource;

pub(super) use self::{
    credentials::issue,
    resource::{Verdict, guard},
};
