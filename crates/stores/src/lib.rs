//! All ports of a store in one value. The HTTP interface, the console, the metrics, the workers and
//! the commands each take a [`Stores`] and call the ports that they need.
//!
//! To add a port, write a trait in its crate and add a line to the list below. To test the failure
//! of a port, replace it: `Stores { health, ..Stores::of(&memory) }`.

use std::sync::Arc;

use access::{ActivityLog, Clients, sign_in::SignInTokens};
use domain::{
    browse::PostingBrowser,
    catalogue::Catalogues,
    company::CompanyReader,
    report::Reports,
    store::{Health, LockedRows, PostingReader, ReplicaPosition, Retention, Store, StoreClock},
};
use enrichment::DraftCache;
use kernel::{attention::AttentionList, audit::AuditLog, event::EventLog, outbox::Outbox};
use newsletter::store::{Accounts, SubscriberReader};
use webhooks::Webhooks;

macro_rules! ports {
    ($($name:ident: $port:path,)*) => {
        #[derive(Clone)]
        pub struct Stores {
            $(pub $name: Arc<dyn $port>,)*
        }

        impl Stores {
            pub fn of<T: $($port +)* 'static>(store: &Arc<T>) -> Self {
                Self { $($name: Arc::clone(store) as _,)* }
            }
        }
    };
}

ports! {
    store: Store,
    newsletter: newsletter::store::Store,
    postings: PostingReader,
    subscribers: SubscriberReader,
    outbox: Outbox,
    events: EventLog,
    webhooks: Webhooks,
    accounts: Accounts,
    catalogues: Catalogues,
    clients: Clients,
    sign_in_tokens: SignInTokens,
    browser: PostingBrowser,
    companies: CompanyReader,
    reports: Reports,
    retention: Retention,
    activity: ActivityLog,
    drafts: DraftCache,
    audit: AuditLog,
    attention: AttentionList,
    health: Health,
    clock: StoreClock,
    position: ReplicaPosition,
    locks: LockedRows,
}
