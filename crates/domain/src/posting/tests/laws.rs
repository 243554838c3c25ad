//! What holds for any command.

use kernel::PutOutcome;
use proptest::{prelude::*, sample::select};
use serde_json::{Map, Value, json};

use super::*;
use crate::{
    authority::Principal,
    posting::{Answer, repeat::repeat},
    testing::{push, pusher},
    usecase::decide_batch,
};

/// A body that is often valid, sometimes wrong, and touches every field.
fn body() -> impl Strategy<Value = Value> {
    let field = prop_oneof![
        (
            "title",
            select(vec![
                json!("A"),
                json!("B"),
                json!(null),
                json!("x".repeat(300))
            ])
        ),
        (
            "raw_description",
            select(vec![json!("<p>A</p>"), json!("B"), json!(" ")])
        ),
        (
            "employment_types",
            select(vec![
                json!(["contract"]),
                json!([]),
                json!(null),
                json!(["x"])
            ])
        ),
        (
            "location_country_code",
            select(vec![json!("no"), json!("SE"), json!(null), json!("XX")])
        ),
        (
            "location_city",
            select(vec![json!("Oslo"), json!(null), json!(5)])
        ),
        (
            "salary_min",
            select(vec![json!(1), json!(5), json!(null), json!("1")])
        ),
        (
            "salary_max",
            select(vec![json!(3), json!(9), json!(null), json!(-1)])
        ),
        (
            "application_email",
            select(vec![json!("a@b.example"), json!(null), json!("a")])
        ),
        (
            "application_url",
            select(vec![json!("https://a.example"), json!(null), json!("a")])
        ),
        (
            "metadata",
            select(vec![json!({"a": 1}), json!({}), json!(null), json!([5])])
        ),
        (
            "expiration_reason",
            select(vec![json!("r"), json!("s"), json!(null)])
        ),
        (
            "expiration",
            select(vec![json!({}), json!({"reason": "e"}), json!(null)])
        ),
        (
            "company",
            select(vec![
                json!({"name": "Acme", "website_url": "https://acme.example"}),
                json!({"name": "Bolt", "website_url": "https://bolt.example/"}),
                json!({"website_url": "https://bolt.example"}),
                json!({"name": "New"}),
                json!({"logo_path": "/l.svg"}),
                json!({"logo_path": null}),
            ])
        ),
        ("latitude", select(vec![json!(1.5)])),
    ];
    prop::collection::vec(field, 0..5)
        .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>()))
}

/// A body that can create.
fn full_body() -> impl Strategy<Value = Value> {
    body().prop_map(|over| {
        let mut full: Value = serde_json::from_str(CREATE).unwrap();
        for (name, value) in over.as_object().unwrap() {
            full[name] = value.clone();
        }
        full
    })
}

fn any_body() -> impl Strategy<Value = Value> {
    prop_oneof![full_body(), body()]
}

fn run_all(board: &mut Board, commands: &[(String, Value)]) {
    for (name, body) in commands {
        let _ = board.run(&push(name, &body.to_string()));
    }
}

proptest! {
    #[test]
    fn a_repeated_command_is_idempotent(
        before in prop::collection::vec(any_body(), 0..5),
        body in any_body(),
    ) {
        let mut board = Board::new();
        for body in before {
            let _ = board.put(&body.to_string());
        }
        let first = board.put(&body.to_string());
        let state = board.known.postings.clone();
        let second = board.put(&body.to_string());
        prop_assert_eq!(&board.known.postings, &state);
        match (first, second) {
            (Ok((first, _)), Ok((second, written))) => {
                prop_assert_eq!(first.0, second.0);
                prop_assert_eq!(second.1, PutOutcome::Unchanged);
                prop_assert_eq!(written, Written::default());
            }
            (first, second) => prop_assert_eq!(first, second),
        }
    }

    #[test]
    fn a_command_that_needs_no_decision_changes_nothing(
        body in any_body(),
        between in prop::collection::vec((select(vec!["a", "b"]), body()), 0..3),
        verdict in select(vec![None, Some(Verdict::Approve)]),
        days in 0..40_i64,
    ) {
        let mut board = Board::with(Status::Approved);
        let _ = board.run(&push("b", CREATE));
        let put = push("a", &body.to_string());
        let now = board.now + hours(1);
        let (answers, _) = decide_batch(board.known.clone(), &[&put], board.lifetime, now);
        let _ = board.run(&put);
        let Ok(Answer { basis: Some(basis), .. }) = answers[0] else {
            return Ok(());
        };
        let mut is_same = true;
        for (identifier, body) in between {
            if let Ok((_, written)) = board.run(&push(identifier, &body.to_string())) {
                is_same &= written.postings + written.companies == 0;
            }
        }
        if let (Some(verdict), true) = (verdict, board.posting().status.is_open()) {
            is_same = false;
            board.enrich(&verdict);
        }
        board.now += hours(24 * days);
        let now = board.now + hours(1);
        let repeated = repeat(&board.known, &put.identifier, None, basis, board.lifetime, now);
        let decided = board.decide(&put);
        match repeated {
            Some(answer) => {
                let answer = Answer { basis: None, ..answer };
                prop_assert_eq!(decided, Ok(Decision { answer, change: None }));
            }
            None => prop_assert!(!is_same || days > 29),
        }
    }

    #[test]
    fn any_order_of_distinct_identifiers_gives_the_same_postings(
        bodies in prop::collection::vec(full_body(), 1..6),
        seed in any::<u64>(),
    ) {
        // The last name of a shared company wins, so each posting has a company of its own.
        let commands: Vec<_> = (0..)
            .zip(bodies)
            .map(|(n, mut body)| {
                body["company"] = json!({"name": "C", "website_url": format!("https://c{n}.example")});
                (format!("p{n}"), body)
            })
            .collect();
        let mut shuffled = commands.clone();
        shuffled.rotate_left(usize::try_from(seed % 7).unwrap() % commands.len());
        if seed % 2 == 0 {
            shuffled.reverse();
        }
        let outcome = |commands: &[(String, Value)]| {
            let mut board = Board::new();
            run_all(&mut board, commands);
            let mut postings: Vec<_> = board
                .known
                .postings
                .into_values()
                .map(|mut posting| {
                    posting.created_at = noon();
                    posting.updated_at = noon();
                    posting
                })
                .collect();
            postings.sort_by_key(|posting| posting.id);
            postings
        };
        prop_assert_eq!(outcome(&commands), outcome(&shuffled));
    }

    #[test]
    fn a_patch_of_nothing_changes_nothing(before in prop::collection::vec(any_body(), 0..6)) {
        let mut board = Board::new();
        for body in before {
            let _ = board.put(&body.to_string());
        }
        if !board.known.postings.is_empty() {
            let state = board.known.postings.clone();
            prop_assert_eq!(board.put("{}").unwrap().1, Written::default());
            prop_assert_eq!(&board.known.postings, &state);
        }
    }

    #[test]
    fn stored_postings_hold_the_rules(commands in prop::collection::vec(any_body(), 0..8)) {
        let mut board = Board::new();
        for body in commands {
            let _ = board.put(&body.to_string());
            for posting in board.known.postings.values() {
                let details = &posting.details;
                prop_assert!(!details.title.is_empty());
                prop_assert!(details.application_email.is_some() || details.application_url.is_some());
                if let (Some(min), Some(max)) = (details.salary_min, details.salary_max) {
                    prop_assert!(min <= max);
                }
                prop_assert_eq!(posting.expired_at.is_some(), posting.status == Status::Expired);
            }
        }
    }

    #[test]
    fn no_body_panics(body in ".*") {
        let client = Principal::unfenced(pusher());
        let _ = PutPosting::parse("a", body.as_bytes(), client, crate::testing::put_id("a"));
    }
}
