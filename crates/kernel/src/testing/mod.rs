//! For tests: times, ids and an operator, a store in memory, and macros for contract suites.

mod memory;

use std::{error::Error, fmt, panic::Location};

use async_trait::async_trait;
use time::{Duration, OffsetDateTime, macros::datetime};
use uuid::Uuid;

pub use self::memory::{MemoryStore, Shared};
use crate::{
    AttentionItem, AttentionKind, ClientId, Operator, Prefixes, SourceIdentifier, StoreError,
    audit::{Attribution, AuditLog, AuditQuery, Entry},
    outbox::{Outbox, TaskRow},
};

/// The `n`-th of a fixed series of UUIDs.
pub fn uuid(n: u128) -> Uuid {
    Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0000 + n)
}

/// A fixed time.
pub const fn noon() -> OffsetDateTime {
    datetime!(2026-03-01 12:00:00.123_456 UTC)
}

/// A test's value, known to be valid.
///
/// # Panics
///
/// If the value is invalid.
#[track_caller]
pub fn valid<T, E: fmt::Display>(value: Result<T, E>) -> T {
    value.unwrap_or_else(|error| panic!("{error}"))
}

/// The `n`-th action of the operator Ann.
pub fn by_ann(n: u128) -> Attribution {
    Attribution {
        id: uuid(0x5000 + n),
        operator: valid(Operator::new("ann")),
    }
}

/// The `n`-th attention item: a catalogue without a client, held back since noon.
pub fn item(n: u128) -> AttentionItem {
    let kind = AttentionKind::CatalogueHeld;
    AttentionItem {
        id: AttentionItem::id_of(kind, &uuid(n).to_string()),
        kind,
        subject: format!("catalogue {n}"),
        client: None,
        since: noon(),
        sentence: "It is held back.".to_owned(),
        page: format!("/catalogues/{}", uuid(n)),
        is_of_board: true,
    }
}

/// Some hours.
pub const fn hours(n: i64) -> Duration {
    Duration::hours(n)
}

/// Some minutes.
pub const fn minutes(n: i64) -> Duration {
    Duration::minutes(n)
}

/// A text of `n` characters that has more bytes than that.
pub fn text(n: usize) -> String {
    "ü".repeat(n)
}

/// An identifier that is known to be valid.
#[track_caller]
pub fn identifier(text: &str) -> SourceIdentifier {
    valid(SourceIdentifier::new(text))
}

/// The result of a contract suite's case or step.
pub type Checked<T = ()> = Result<T, Failure>;

/// An error that ends a case, with the place of its `?`.
pub struct Failure {
    error: String,
    at: &'static Location<'static>,
}

impl<E: Error> From<E> for Failure {
    #[track_caller]
    fn from(error: E) -> Self {
        Self {
            error: error.to_string(),
            at: Location::caller(),
        }
    }
}

impl fmt::Debug for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.at, self.error)
    }
}

/// The error of a case that does not find a stored value.
#[derive(Debug, thiserror::Error)]
#[error("what was stored is missing")]
pub struct Absent;

/// The port that stores a client with only an id and prefixes, for cases that need no more.
#[async_trait]
pub trait AddClient: Send + Sync {
    /// Adds a client.
    async fn add_client(&self, id: ClientId, prefixes: Prefixes) -> Result<(), StoreError>;
}

/// The newest hundred entries of the audit.
pub async fn entries<S: AuditLog>(store: &S) -> Checked<Vec<Entry>> {
    let query = AuditQuery {
        limit: 100,
        ..AuditQuery::default()
    };
    Ok(store.entries(&query).await?)
}

/// All dead tasks of the outbox, or all other tasks.
pub async fn rows<S: Outbox>(store: &S, dead: bool) -> Checked<Vec<TaskRow>> {
    Ok(store.list(dead, None, usize::MAX).await?)
}

/// Declares cases of a contract suite. Each case tests a store that has the named ports.
///
/// A case takes an empty store, asserts, and fails with the first error that `?` returns. The macro
/// turns each case into a function of the invoking module. Each store that invokes the suite gets a
/// test that calls the function. The first argument is the area, a module of `testing::contract`.
/// If an area has several files, each file appends its own name (`outbox::leases`). The area's
/// module then exports the cases of all files by listing their names (the second call below):
///
/// ```ignore
/// kernel::contract_cases!(
///     outbox::leases,
///     impl Store + Outbox,
///     /// Finishing the task removes it.
///     async fn an_effect_is_claimed_once(store: &S) { /* … */ },
/// );
/// kernel::contract_cases!(outbox: failures leases);
/// ```
///
/// Each name becomes a macro of the crate, which `contract_suite!` calls to create the tests. Cases
/// are arguments in parentheses, because rustfmt formats such arguments.
#[macro_export]
macro_rules! contract_cases {
    ($area:ident, impl $($cases:tt)+) => {
        $crate::contract_cases! { @cases $area, $area, $($cases)+ }
    };
    ($area:ident::$part:ident, impl $($cases:tt)+) => {
        $crate::contract_cases! { @cases $part, $area, $($cases)+ }
    };
    ($area:ident: $($part:ident)+) => {
        #[doc(hidden)]
        #[macro_export]
        macro_rules! $area {
            ($suite:tt, $block_on:path, $fixture:expr) => {
                $($suite::$part! { $suite, $block_on, $fixture })+
            };
        }
    };
    (
        @cases $list:ident, $area:ident, $port:ident $(+ $more:ident)*,
        $($(#[$doc:meta])* async fn $case:ident($store:ident: &S) $body:block),+ $(,)?
    ) => {
        $crate::contract_cases! {
            @functions [$port $(+ $more)*] $([$(#[$doc])* $case $store $body])+
        }

        #[doc(hidden)]
        #[macro_export]
        macro_rules! $list {
            ($suite:tt, $block_on:path, $fixture:expr) => {
                $(
                    #[test]
                    fn $case() -> $crate::testing::Checked {
                        $block_on(async {
                            let (_guard, store) = $fixture.await;
                            $suite::testing::contract::$area::$case(&store).await
                        })
                    }
                )+
            };
        }
    };
    (@functions $ports:tt $($case:tt)+) => {
        $($crate::contract_cases! { @function $ports $case })+
    };
    (@function [$($ports:tt)+] [$(#[$doc:meta])* $case:ident $store:ident $body:block]) => {
        $(#[$doc])*
        #[doc(hidden)]
        pub async fn $case<S: $($ports)+>($store: &S) -> $crate::testing::Checked {
            $body
            Ok(())
        }
    };
}
