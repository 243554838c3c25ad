mod erase;
mod list;
mod moderation;
mod named;
mod objection;
mod purge;
mod show;
mod versions;

#[cfg(test)]
mod tests;

use domain::posting::moderation::Moderation;

use self::{
    erase::Erase,
    list::List,
    moderation::{Feature, PostingArgs, ReasonArgs, RemovalArgs, moderate, remove, with_reason},
    named::{open, resolve},
    objection::{ObjectionArgs, answer},
    purge::Purge,
    show::Show,
    versions::{Restore, Versions},
};

commands! {
    /// Show and moderate postings
    Postings {
        List(List),
        Show(Show),
        /// Approve postings; no enricher overrules it
        Approve(PostingArgs) => moderate(Moderation::Approve),
        /// Reject postings; no enricher overrules it
        Reject(RemovalArgs) => remove(|reason, ground| Moderation::Reject { reason, ground }),
        /// Take postings down; only an operator reopens them
        Expire(RemovalArgs) => remove(|reason, ground| Moderation::Expire { reason, ground }),
        /// Reopen expired postings, to be judged again
        Reopen(ReasonArgs) => with_reason(|reason| Moderation::Reopen { reason }),
        /// Answer an objection: uphold the decision
        Uphold(ObjectionArgs) => answer(false),
        /// Answer an objection: restore what the decision changed
        Reverse(ObjectionArgs) => answer(true),
        Feature(Feature),
        Versions(Versions),
        Restore(Restore),
        Erase(Erase),
        Purge(Purge),
    }
}
