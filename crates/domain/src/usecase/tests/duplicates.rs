//! Duplicates, as outcomes of enrichment and searches find them.

mod board;
mod laws;

use kernel::{
    Prefixes,
    event::{EventLog, LogQuery, Subject},
};

use self::board::Board;
use crate::posting::event::JOB_POSTING_ENRICHED;

fn run(test: impl AsyncFnOnce(&Board)) {
    pollster::block_on(async { test(&Board::new().await).await });
}

/// The postings of the events of new marks, each time that it got another one.
async fn told(board: &Board) -> Vec<String> {
    let query = LogQuery {
        after: None,
        names: vec![JOB_POSTING_ENRICHED],
        prefixes: Prefixes::ALL,
        limit: 99,
    };
    let page = board.store.read(&query).await;
    let subjects = page.unwrap().events.into_iter().map(|it| it.event.subject);
    let names = subjects.filter_map(|subject| match subject {
        Subject::Posting(posting) => Some(posting.source_identifier.to_string()),
        _ => None,
    });
    names.collect()
}

#[test]
fn copies_of_one_batch_are_marked_with_the_first_as_they_are_approved() {
    run(async |board| {
        for (name, city) in [("a1", "Oslo"), ("a0", "Oslo"), ("a2", "Bergen")] {
            board.push(1, name, city, 0).await;
        }
        board.judge(&["a0", "a2", "a1"]).await;
        assert_eq!(board.marks().await, [("a0", "a1")]);
        assert_eq!(told(board).await, [""; 0]);
        assert_eq!(board.searches().await, [""; 0]);
    });
}

/// The attack: what was there before others copied it stays as it is.
#[test]
fn a_posting_that_becomes_a_copy_marks_nothing_that_was_pushed_before() {
    run(async |board| {
        for (planter, name, text) in [(2, "b0", 50), (1, "a0", 30)] {
            board.push(planter, name, "Oslo", text).await;
        }
        board.push(3, "c0", "Oslo", 0).await;
        board.push(1, "a1", "Oslo", 1).await;
        board.settle().await;
        assert_eq!(board.marks().await, [("a1", "c0")]);
        // Behind a fence, it is no copy of what it may not see, either.
        board.push(2, "b0", "Oslo", 0).await;
        board.settle().await;
        assert_eq!(board.marks().await, [("a1", "c0")]);
        board.push(1, "a0", "Oslo", 0).await;
        board.settle().await;
        assert_eq!(board.marks().await, [("a0", "c0"), ("a1", "c0")]);
        // Nor is a word that its client mends a reason to mark it.
        board.push(3, "c0", "Oslo", 2).await;
        board.settle().await;
        assert_eq!(board.marks().await, [("a0", "c0"), ("a1", "c0")]);
        let told = told(board).await;
        assert!(!told.contains(&"c0".to_owned()), "{told:?}");
    });
}

/// However many: a search goes on behind those that it has looked at.
#[test]
fn all_copies_of_an_original_are_looked_up() {
    run(async |board| {
        let names: Vec<_> = (0..150).map(|n| format!("a{n:03}")).collect();
        for name in &names {
            board.push(1, name, "Oslo", 0).await;
        }
        board.settle().await;
        let all_of = |first: usize| -> Vec<_> {
            let copies = names[first + 1..].iter();
            copies.map(|it| (&**it, &*names[first])).collect()
        };
        assert_eq!(board.marks().await, all_of(0));
        board.expire("a000").await;
        board.settle().await;
        assert_eq!(board.marks().await, all_of(1));
        // More than a search looks at for a band are gone.
        for name in &names[1..40] {
            board.expire(name).await;
        }
        board.settle().await;
        assert_eq!(board.marks().await, all_of(40));
    });
}
