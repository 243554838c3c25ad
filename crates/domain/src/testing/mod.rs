//! For tests: a part of the store in memory, sample values, and the contract suite for every store.
//!
//! A store's tests invoke [`contract_suite!`](crate::contract_suite) once, and get a named test per
//! case.

pub mod contract;
mod memory;
mod sample;

pub use kernel::testing::MemoryStore;

pub use self::{
    contract::events::commit_events,
    sample::{
        answered, company, company_state, company_view, company_write, create, posting,
        posting_view, push, push_as, push_by, pusher, put_id, renaming, state,
    },
};
/// Creates a test of each case of the contract suite for one store, in a module per area.
///
/// `$block_on` is a function that runs a future and returns its result. `$fixture` is an expression
/// for a future of `(guard, store)`; the guard owns everything that the empty store needs.
///
/// A store with only some of the ports names the areas to test:
///
/// | area | needs |
/// |---|---|
/// | `companies` | `Store` |
/// | `postings`, `reading`, `duplicates` | `Store`, `PostingReader` |
/// | `health` | `Health` |
/// | `lockstep` | `Store`, `PostingReader`, `EventLog` |
/// | `commits` | `Store`, `Outbox`, `EventLog` |
/// | `outbox` | `Store`, `Outbox`, `AuditLog` |
/// | `events` | `Store`, `EventLog` |
/// | `audit` | `Store`, `Outbox`, `AuditLog` |
/// | `catalogues` | `Store`, `EventLog`, `AddClient`, `Catalogues`, `AuditLog` |
/// | `attention` | as `console`, `AttentionList`, `EventLog` |
/// | `merges` | `Store`, `CompanyReader`, `PostingReader`, `PostingBrowser`, `EventLog` |
/// | `console` | `Store`, `PostingBrowser`, `CompanyReader` |
/// | `versions` | `Store`, `PostingReader`, `PostingBrowser`, `Retention` |
/// | `reports` | `Store`, `PostingReader`, `EventLog`, `Reports`, `Retention` |
/// | `retention` | as `audit` and `reports` |
#[macro_export]
macro_rules! contract_suite {
    ($block_on:path, $fixture:expr) => {
        $crate::contract_suite! {
            $block_on, $fixture;
            postings companies merges duplicates reading health commits events outbox audit
            catalogues console attention reports retention versions lockstep
        }
    };
    ($block_on:path, $fixture:expr; $($area:ident)+) => {
        $(mod $area {
            use super::*;
            $crate::$area! { $crate, $block_on, $fixture }
        })+
    };
}
