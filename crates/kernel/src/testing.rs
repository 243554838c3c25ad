//! Times, ids and an operator for tests.

use time::{Duration, OffsetDateTime, macros::datetime};
use uuid::Uuid;

use crate::{
    SourceIdentifier,
    audit::{Attribution, Operator},
};

/// The `n`-th of a fixed series of UUIDs.
pub fn uuid(n: u128) -> Uuid {
    Uuid::from_u128(0x0190_0000_0000_7000_8000_0000_0000_0000 + n)
}

/// A fixed time.
pub const fn noon() -> OffsetDateTime {
    datetime!(2026-03-01 12:00:00.123_456 UTC)
}

/// The `n`-th action of the operator Ann.
///
/// # Panics
/// Never: she has a good name.
#[expect(
    clippy::expect_used,
    reason = "these are tests, though not marked as such"
)]
pub fn by_ann(n: u128) -> Attribution {
    Attribution {
        id: uuid(0x5000 + n),
        operator: Operator::new("ann").expect("it is a name"),
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
///
/// # Panics
/// When it is not.
pub fn identifier(text: &str) -> SourceIdentifier {
    SourceIdentifier::new(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Declares the test of each case of a contract suite, in a module for its area.
///
/// `$block_on` is a function that runs a future to its end; `$fixture` is an expression for a
/// future of `(guard, store)`, where the guard keeps alive whatever the empty store needs.
#[macro_export]
macro_rules! contract_cases {
    ($block_on:path, $fixture:expr; $suite:ident; $area:ident { $($case:ident)+ }) => {
        mod $area {
            use super::*;
            $(
                #[test]
                fn $case() {
                    $block_on(async {
                        let (_guard, store) = $fixture.await;
                        $suite::testing::contract::$area::$case(&store).await;
                    });
                }
            )+
        }
    };
}
