//! The types that the stores write in one transaction.

use std::future::Future;

use access::activity::ActivityWrites;
use domain::store::WriteSet;
use kernel::attention::AttentionCheck;
use uuid::Uuid;
use webhooks::{Recorded, Round};

use crate::{
    attention, client, commit,
    executor::{Executor, Outcome},
    subscriber, webhook,
};

/// The writes of one transaction.
pub trait Commit: Send + Sync + 'static {
    type Answer: Send + 'static;
    /// The tables that PostgreSQL locks before rows.
    const TABLES: &'static str;

    fn write(&self, conn: &mut impl Executor)
    -> impl Future<Output = Outcome<Self::Answer>> + Send;

    /// Whether the commit deletes personal data, which must not remain in SQLite's write-ahead log.
    fn erases(&self) -> bool {
        false
    }
}

/// Declares, for each type, its tables and the function that writes it.
macro_rules! commits {
    ($($writes:ty, $by:path => $answer:ty, $tables:literal $(, erases $erases:expr)?;)+) => {
        $(impl Commit for $writes {
            type Answer = $answer;
            const TABLES: &'static str = $tables;

            async fn write(&self, conn: &mut impl Executor) -> Outcome<$answer> {
                $by(conn, self).await
            }

            $(fn erases(&self) -> bool {
                $erases(self)
            })?
        })+
    };
}

commits! {
    WriteSet, commit::write => (), "postings, posting_history, outbox, events";
    newsletter::store::WriteSet, subscriber::commit => (), "subscribers, outbox",
        erases |it: &Self| !it.purges.is_empty();
    AttentionCheck, attention::commit => (), "outbox, events";
    ActivityWrites, client::record => (),
        "clients, client_days, client_tallies, client_refusals, client_secrets";
    (Uuid, Round), webhook::record => Recorded,
        "webhook_endpoints, webhook_waiting, webhook_deliveries";
}
