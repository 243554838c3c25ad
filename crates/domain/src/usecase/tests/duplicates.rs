//! Duplicates by outcomes and searches: invariants for all pushes, orders and races.

mod board;

use std::{
    collections::{BTreeMap, BTreeSet},
    sync::Mutex,
};

use kernel::testing::{by_ann, identifier, noon};
use proptest::{collection::vec, prelude::*};
use time::{Duration, OffsetDateTime};

use self::board::{Board, FENCES, Race, Raced, SPAM};
use crate::{
    posting::duplicate::{Candidate, MinHash},
    usecase::{merge_companies, tell_postings_apart, unmerge_company},
};

const NAMES: [&str; 6] = ["a0", "a1", "b0", "b1", "c0", "c1"];
const TEXTS: [usize; 6] = [0, 8, 16, 24, 40, SPAM];

#[derive(Clone, Copy, Debug)]
enum Step {
    Push { by: usize, name: usize, text: usize },
    Expire(usize),
    Judge(u8),
    Search(u8),
}

fn steps() -> impl Strategy<Value = Step> {
    let push = (0..FENCES.len(), 0..NAMES.len(), 0..TEXTS.len());
    prop_oneof![
        4 => push.prop_map(|(by, name, text)| Step::Push { by, name, text }),
        1 => (0..NAMES.len()).prop_map(Step::Expire),
        3 => any::<u8>().prop_map(Step::Judge),
        3 => any::<u8>().prop_map(Step::Search),
    ]
}

/// A step, and perhaps a step of another process before one of the store calls of the first.
fn races() -> impl Strategy<Value = (Step, Option<(usize, Step)>)> {
    (steps(), prop::option::of((0..12_usize, steps())))
}

fn permits(by: usize, name: &str) -> bool {
    let prefixes = FENCES[by];
    prefixes.is_empty() || prefixes.iter().any(|prefix| name.starts_with(prefix))
}

async fn take(board: &Board, step: Step, raced: Option<(usize, Step)>) {
    let happens = |(calls, other)| -> Race<'_> {
        let happens = move || pollster::block_on(Box::pin(take(board, other, None)));
        (calls, Box::new(happens))
    };
    let store = Raced {
        store: &board.store,
        race: Mutex::new(raced.map(happens)),
    };
    let chosen = |set: u8| {
        move |name: &str| {
            NAMES
                .iter()
                .position(|it| *it == name)
                .is_some_and(|n| set & (1 << n) != 0)
        }
    };
    match step {
        Step::Push { by, name, text } => {
            let name = NAMES[name];
            let by = if permits(by, name) { by } else { 0 };
            board.push(by as u128 + 1, name, TEXTS[text]).await;
        }
        Step::Expire(name) => board.expire(NAMES[name]).await,
        Step::Judge(set) => board.judge_in(&store, chosen(set)).await,
        Step::Search(set) => board.search_in(&store, chosen(set)).await,
    }
}

fn age(it: &Candidate) -> (OffsetDateTime, &str) {
    (it.dated.since, it.source_identifier.as_str())
}

/// The rule, in a second, independent implementation.
fn originals(all: &[Candidate]) -> BTreeMap<String, String> {
    let alike = |one: &Candidate, first: &Candidate| {
        let values = |it: &MinHash| *it.values();
        let own = values(&one.dated.fingerprint.signature);
        let equal = |other: [u16; 64]| own.iter().zip(other).filter(|(a, b)| **a == *b).count();
        equal(values(&first.dated.fingerprint.signature)) >= 52
            && equal(values(&first.dated.first)) >= 52
    };
    let mut originals = BTreeMap::new();
    for it in all.iter().filter(|it| it.is_open) {
        let older = all
            .iter()
            .filter(|other| other.is_open && age(other) < age(it) && alike(it, other));
        if let Some(first) = older.min_by_key(|other| age(other)) {
            let names = [it, first].map(|it| it.source_identifier.to_string());
            let [copy, original] = names;
            originals.insert(copy, original);
        }
    }
    originals
}

fn has_circle(marks: &BTreeMap<String, String>) -> bool {
    marks.keys().any(|start| {
        let mut seen = BTreeSet::new();
        let mut at = start;
        while let Some(next) = marks.get(at) {
            if !seen.insert(next) {
                return true;
            }
            at = next;
        }
        false
    })
}

fn marks_of(all: &[Candidate]) -> BTreeMap<String, String> {
    let marks = all.iter().filter_map(|it| {
        let original = it.duplicate_of.as_ref()?;
        let names = [&it.source_identifier, &original.source_identifier];
        let [copy, original] = names.map(ToString::to_string);
        Some((copy, original))
    });
    marks.collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn marks_settle_as_the_rule_says_and_never_make_a_circle(all in vec(races(), 1..40)) {
        pollster::block_on(async {
            let board = Board::new().await;
            for (step, raced) in all {
                take(&board, step, raced).await;
                let candidates = board.candidates().await;
                let marks = marks_of(&candidates);
                prop_assert!(!has_circle(&marks), "{marks:?}");
                for it in candidates.iter().filter(|it| it.duplicate_of.is_some()) {
                    prop_assert!(it.is_open, "{it:?}");
                }
            }
            board.settle().await;
            let candidates = board.candidates().await;
            let marks = marks_of(&candidates);
            prop_assert_eq!(&marks, &originals(&candidates));
            board.settle().await;
            prop_assert_eq!(marks, marks_of(&board.candidates().await));
            Ok(())
        })?;
    }
}

#[pollster::test]
async fn only_a_posting_like_another_one_asks_for_a_search() {
    let board = Board::new().await;
    let pushes = [("a0", 0, &[][..]), ("a1", 40, &[]), ("a2", 0, &["a2"])];
    for (name, text, searches) in pushes {
        board.push(1, name, text).await;
        board.judge_in(&board.store, |_| true).await;
        assert_eq!(board.searches().await, searches, "{name}");
    }
}

#[pollster::test]
async fn searches_that_find_nothing_end_together() {
    for (text, busy) in [(40, 0), (0, 2)] {
        let board = Board::new().await;
        for (name, text) in [("a0", 0), ("a1", text)] {
            board.push(1, name, text).await;
        }
        board.settle().await;
        let (one, other, ann) = (identifier("a0"), identifier("a1"), by_ann(1));
        let asked = tell_postings_apart(&board.store, [&one, &other], &ann, noon());
        assert_eq!(asked.await, Ok(true));
        assert_eq!(board.busy_searches().await, busy, "{text}");
    }
}

/// This holds for any number of copies: a search continues after the copies that it examined.
#[pollster::test]
async fn all_copies_of_an_original_are_looked_up() {
    let board = Board::new().await;
    let names: Vec<_> = (0..150).map(|n| format!("a{n:03}")).collect();
    for name in &names {
        board.push(1, name, 0).await;
    }
    for (expired, first) in [(0..0, 0), (0..1, 1), (1..40, 40)] {
        for name in &names[expired] {
            board.expire(name).await;
        }
        board.settle().await;
        let copies = names[first + 1..].iter();
        let expect: BTreeMap<_, _> = copies
            .map(|copy| (copy.clone(), names[first].clone()))
            .collect();
        assert_eq!(marks_of(&board.candidates().await), expect);
    }
}

#[pollster::test]
async fn two_openings_are_no_duplicates() {
    let board = Board::new().await;
    for name in ["a0", "a1", "a2"] {
        board.push(1, name, 0).await;
    }
    board.settle().await;
    let marks = async || marks_of(&board.candidates().await);
    let both =
        [("a1", "a0"), ("a2", "a0")].map(|(copy, original)| (copy.to_owned(), original.to_owned()));
    assert_eq!(marks().await, both.clone().into());
    let (one, other) = (identifier("a1"), identifier("a0"));
    let (ann, at) = (by_ann(1), noon());
    let told = tell_postings_apart(&board.store, [&one, &other], &ann, at);
    assert_eq!(told.await, Ok(true));
    board.settle().await;
    let apart = [("a2".to_owned(), "a0".to_owned())];
    assert_eq!(marks().await, apart.clone().into());
    let pay = |low: i64, high: i64| {
        format!(r#"{{"salary_min": {low}, "salary_max": {high}, "salary_currency_code": "SEK"}}"#)
    };
    board.put(1, "a0", &pay(10, 20)).await.unwrap();
    board.put(1, "a2", &pay(21, 30)).await.unwrap();
    board.settle().await;
    assert_eq!(marks().await, [("a2".to_owned(), "a1".to_owned())].into());
    board.put(1, "a2", &pay(20, 30)).await.unwrap();
    board.settle().await;
    assert_eq!(marks().await, apart.into());
    // The employer's number makes them one opening, although the texts differ.
    board.push(1, "a3", 40).await;
    board.settle().await;
    for (name, number) in [("a1", "R-1"), ("a3", "R-1"), ("a2", "R-2")] {
        let body = format!(r#"{{"requisition_id": "{number}"}}"#);
        board.put(1, name, &body).await.unwrap();
    }
    board.settle().await;
    let numbered =
        [("a2", "a0"), ("a3", "a1")].map(|(copy, original)| (copy.to_owned(), original.to_owned()));
    assert_eq!(marks().await, numbered.into());
}

/// Enrichment replaces the fingerprint of a moved posting, unless the posting returns before that.
#[pollster::test]
async fn a_merge_makes_moved_postings_comparable() {
    let board = Board::new().await;
    board.push(1, "a", 1).await;
    let body = r#"{"title": "Cook", "raw_description": "1", "application_url": "https://a.example",
        "company": {"name": "Acmera", "website_url": "https://bakery.example"}}"#;
    board.put(1, "b", body).await.unwrap();
    board.settle().await;
    let before = board.candidates().await;
    let [a, b] = &*before else {
        panic!("{before:?}");
    };
    assert_ne!(a.dated.fingerprint.bands, b.dated.fingerprint.bands);
    let (store, both, ann) = (&board.store, (b.company, a.company), &by_ann(1));
    let move_postings = || super::merge::settle(store, noon() + Duration::minutes(3));
    let original = async || {
        move_postings().await;
        assert_eq!(board.searches().await, [""; 0]);
        board.settle().await;
        let after = board.candidates().await;
        after[1].duplicate_of.as_ref().map(|it| it.id)
    };
    let merge = async || {
        let merged = merge_companies((store, store), both, "one", ann, noon()).await;
        merged.unwrap();
    };
    merge().await;
    assert_eq!(original().await, Some(a.id));
    for is_settled in [true, false] {
        if !is_settled {
            merge().await;
            move_postings().await;
        }
        unmerge_company(store, b.company, "two", ann, noon())
            .await
            .unwrap();
        assert_eq!(original().await, None);
    }
    assert_eq!(
        board.candidates().await[1].dated.fingerprint,
        b.dated.fingerprint
    );
}

/// Content that resembles its posting's first content keeps that age, also for another company.
#[pollster::test]
async fn a_merge_keeps_the_age_of_edited_content() {
    let board = Board::new().await;
    let push = async |text| {
        let body = format!(
            r#"{{"title": "Cook", "raw_description": "{text}",
                "application_url": "https://a.example",
                "company": {{"name": "Bakery", "website_url": "https://bakery.example"}}}}"#
        );
        board.put(1, "b", &body).await.unwrap();
        board.settle().await;
    };
    push(0).await;
    board.push(1, "a", 4).await;
    push(4).await;
    let candidates = board.candidates().await;
    let [a, b] = &*candidates else {
        panic!("{candidates:?}");
    };
    let (store, both) = (&board.store, (b.company, a.company));
    let merged = merge_companies((store, store), both, "one", &by_ann(1), noon()).await;
    merged.unwrap();
    super::merge::settle(store, noon() + Duration::minutes(9)).await;
    board.settle().await;
    let after = board.candidates().await;
    let marks = after
        .iter()
        .map(|it| it.duplicate_of.as_ref().map(|it| it.id));
    assert_eq!(marks.collect::<Vec<_>>(), [Some(b.id), None]);
}
