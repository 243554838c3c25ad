//! `posthaste postings`: lets an operator list, show, moderate, erase and purge postings.

mod erase;
mod list;
mod moderation;
mod named;
mod purge;
mod show;

#[cfg(test)]
mod tests;

use self::{
    erase::Erase,
    list::List,
    moderation::{Approve, Expire, Feature, Reject, Reopen},
    named::resolve,
    purge::Purge,
    show::Show,
};

commands! {
    /// Look at postings and moderate them
    Postings {
        List(List),
        Show(Show),
        Approve(Approve),
        Reject(Reject),
        Expire(Expire),
        Reopen(Reopen),
        Feature(Feature),
        Erase(Erase),
        Purge(Purge),
    }
}
