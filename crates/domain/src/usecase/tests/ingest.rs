use kernel::{PutOutcome, testing::noon};

use crate::{
    posting::{Lifetime, PutPosting},
    testing::{MemoryStore, create, push},
    usecase::{Batch, ingest},
};

fn run(store: &MemoryStore, commands: &[PutPosting]) -> Vec<(PutOutcome, bool)> {
    let answers = pollster::block_on(ingest(store, commands, Lifetime::NEVER, noon()));
    let answers = answers.unwrap().into_iter().map(Result::unwrap);
    answers
        .map(|answer| (answer.outcome, answer.basis.is_some()))
        .collect()
}

#[test]
fn the_only_command_for_its_posting_can_be_repeated() {
    use PutOutcome::{Created, Unchanged};
    let store = MemoryStore::new();
    let [a, b] = ["a", "b"].map(|identifier| create(identifier, "acme"));
    let answers = run(&store, &[a.clone(), b.clone(), a.clone()]);
    let expect = [(Created, false), (Created, true), (Unchanged, false)];
    assert_eq!(answers, expect);
    assert_eq!(run(&store, &[a, b]), [(Unchanged, true); 2]);
}

#[test]
fn what_changes_nothing_is_answered_at_once() {
    let store = MemoryStore::new();
    let [a, b, c] = [("a", "acme"), ("b", "acme"), ("c", "other")].map(|(id, at)| create(id, at));
    run(&store, &[a.clone(), b.clone(), c.clone()]);
    let rename = push("a", r#"{"company":{"name":"Bolt"}}"#);
    let commands = [
        &b,
        &rename,
        &c,
        &push("x", "{}"),
        &b,
        &a,
        &push("a", r#"{"title":5}"#),
    ];
    let mut batch = Batch::new(Lifetime::NEVER, noon());
    pollster::block_on(batch.load(&store, &commands, true)).unwrap();
    let settled = commands.map(|put| {
        let decided = batch.decide(put, noon());
        batch.record(put, decided, noon()).is_some()
    });
    assert_eq!(settled, [true, false, true, true, false, false, false]);
    // A further command may join the batch. It is decided on the values that the batch will write.
    let more = push("b", r#"{"company":{"name":"Bolt"}}"#);
    pollster::block_on(batch.load(&store, &[&more], true)).unwrap();
    let decided = batch.decide(&more, noon());
    assert!(batch.record(&more, decided, noon()).is_none());
    let answers = pollster::block_on(batch.commit(&store)).unwrap();
    assert_eq!(answers.len(), 5);
}

#[test]
fn named_companies_come_with_the_postings_or_after_them() {
    let store = MemoryStore::new();
    let [a, b] = [("a", "acme"), ("b", "other")].map(|(id, at)| create(id, at));
    run(&store, &[a.clone(), b]);
    for with_named in [true, false] {
        for (put, names_others, companies) in [
            (&a, false, 1),
            (&push("a", r#"{"title":"Gardener"}"#), false, 1),
            (&create("a", "other"), true, 2),
            (&create("new", "acme"), true, 1),
            (&create("new", "unknown"), true, 0),
        ] {
            let mut batch = Batch::new(Lifetime::NEVER, noon());
            let others = pollster::block_on(batch.load(&store, &[put], with_named));
            assert_eq!(others, Ok(names_others), "{put:?}");
            assert_eq!(batch.snapshot().companies.len(), companies, "{put:?}");
        }
    }
}
