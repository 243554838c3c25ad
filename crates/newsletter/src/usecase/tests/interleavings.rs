//! Two people, two accounts, two workers, and whatever may happen in between: random
//! interleavings at the granularity of calls and commits, in virtual time, with lost answers and
//! kills. After everything has come to rest, nobody who left is active anywhere, and nobody is
//! lost or doubled.

mod model;
mod paced;

use self::model::Model;

/// How many interleavings are tried; `POSTHASTE_TEST_INTERLEAVINGS` says another number.
const USUAL: u64 = 2_000;

#[test]
#[expect(
    clippy::disallowed_methods,
    reason = "how long to look for a counterexample is the caller's choice"
)]
fn nobody_who_left_is_active_anywhere() {
    let asked = std::env::var("POSTHASTE_TEST_INTERLEAVINGS").ok();
    let count = asked.map_or(USUAL, |count| count.parse().unwrap());
    for seed in 0..count {
        Model::new(seed).run();
    }
}
