//! The operators' console: who is signed in, and the search for postings.
//!
//! A sign-in link and a session are [passes](Pass): random tokens of which only digests are stored.
//! [`sign_in`], [`sign_out`] and [`issue_link`] are what becomes of them, each in the audit.
//! [`search`](mod@search) finds postings by what an operator remembers of them.

mod pass;
pub mod search;

pub use self::pass::{
    LINK_LIFETIME, Pass, PassKind, Passes, SESSION_LIFETIME, TokenDigest, issue_link, sign_in,
    sign_out, token_digest,
};
