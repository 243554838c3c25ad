//! Batches of commands.

use kernel::testing::noon;

use crate::{posting::Lifetime, store::Known, testing::create, usecase::decide_batch};

#[test]
fn a_command_alone_for_its_posting_can_be_repeated() {
    let [a, b] = ["a", "b"].map(|identifier| create(identifier, "acme"));
    let known = Known::default();
    let (answers, _) = decide_batch(known, &[&a, &b, &a], Lifetime::NEVER, noon());
    let are_repeatable = answers.iter().map(|answer| {
        let answer = answer.as_ref().unwrap();
        answer.basis.is_some()
    });
    assert_eq!(are_repeatable.collect::<Vec<_>>(), [false, true, false]);
}
