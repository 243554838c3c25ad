use kernel::{PutOutcome, testing::noon};

use crate::{
    posting::{Lifetime, PutPosting},
    store::PostingReader as _,
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
fn each_command_for_a_posting_has_its_own_version() {
    use PutOutcome::{Created, Expired, Unchanged, Updated};
    let store = MemoryStore::new();
    let [a, b] = ["a", "b"].map(|identifier| create(identifier, "acme"));
    let [title, reason] = [
        r#"{"title":"Baker"}"#,
        r#"{"expiration":{"reason":"filled"}}"#,
    ];
    let commands = [a.clone(), b, a.clone(), push("a", title), push("a", reason)];
    let answers = run(&store, &commands).into_iter();
    let outcomes: Vec<_> = answers.map(|(outcome, _)| outcome).collect();
    assert_eq!(outcomes, [Created, Created, Unchanged, Updated, Expired]);
    let versions = pollster::block_on(store.versions(&a.identifier, None, 9));
    let versions = versions.unwrap().unwrap_or_default().into_iter();
    let versions: Vec<_> = versions.map(|it| it.version).collect();
    assert_eq!(versions, [3, 2]);
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
