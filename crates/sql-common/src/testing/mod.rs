//! What the tests of both stores have in common.
#![expect(
    clippy::expect_used,
    reason = "these are tests, though not marked as such"
)]

pub mod corruption;
pub mod sample;
pub mod upgrade;
