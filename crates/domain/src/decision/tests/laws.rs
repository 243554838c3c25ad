use proptest::{prelude::*, sample::select};
use serde_json::{Map, Value};

use super::*;
use crate::{posting::Answer, testing::push, usecase::Batch};

/// Values of each field, usually one of them invalid.
const VALUES: &str = r#"{
    "title": ["A", "B", null, 5],
    "raw_description": ["<p>A</p>", "B", " "],
    "employment_types": [["contract"], [], null, ["x"]],
    "location_country_code": ["no", "SE", null, "XX"],
    "location_city": ["Oslo", null, 5],
    "salary_min": [1, 5, null, "1"],
    "salary_max": [3, 9, null, -1],
    "application_email": ["a@b.example", null, "a"],
    "application_url": ["https://a.example", null, "a"],
    "metadata": [{"a": 1}, {}, null, [5]],
    "expiration_reason": ["r", "s", null],
    "valid_through": ["2025-12-31", "2099-12-31", null, "soon"],
    "locations": [[{"city": "Oslo"}], [], [{"city": "A"}, {"country_code": "se"}], [{}]],
    "expiration": [{}, {"reason": "e"}, null],
    "company": [
        {"name": "Acme", "website_url": "https://acme.example"},
        {"name": "Bolt", "website_url": "https://bolt.example/"},
        {"website_url": "https://bolt.example"},
        {"name": "New"}, {"logo_path": "/l.svg"}, {"logo_path": null}
    ],
    "latitude": [1.5],
    "titel": [1],
    "Company": [{}]
}"#;

fn body() -> impl Strategy<Value = Value> {
    let values: Map<String, Value> = serde_json::from_str(VALUES).unwrap();
    let values: Vec<_> = values.into_iter().collect();
    let field = select(values).prop_flat_map(|(field, values)| {
        let value = select(values.as_array().unwrap().clone());
        value.prop_map(move |value| (field.clone(), value))
    });
    prop::collection::vec(field, 0..5)
        .prop_map(|fields| Value::Object(fields.into_iter().collect::<Map<_, _>>()))
}

fn full_body() -> impl Strategy<Value = Value> {
    body().prop_map(|over| {
        let mut full: Value = serde_json::from_str(CREATE).unwrap();
        for (name, value) in over.as_object().unwrap() {
            full[name] = value.clone();
        }
        full
    })
}

pub fn any_body() -> impl Strategy<Value = Value> {
    prop_oneof![full_body(), body()]
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
        let state = board.snapshot.postings.clone();
        let second = board.put(&body.to_string());
        prop_assert_eq!(&board.snapshot.postings, &state);
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
        let mut batch = Batch::on(board.snapshot.clone(), board.lifetime, now);
        let decided = batch.decide(&put, now);
        let settled = batch.record(&put, decided, now);
        let answer = settled.unwrap_or_else(|| batch.finish().0.remove(0));
        let _ = board.run(&put);
        let Ok(Answer { basis: Some(basis), notices, fields, .. }) = answer else {
            return Ok(());
        };
        let mut is_same = true;
        for (identifier, body) in between {
            if let Ok((_, written)) = board.run(&push(identifier, &body.to_string())) {
                is_same &= written.postings + written.companies == 0;
            }
        }
        if let (Some(verdict), true) = (verdict, board.posting().status().is_open()) {
            is_same = false;
            board.enrich(&verdict);
        }
        board.now += hours(24 * days);
        let now = board.now + hours(1);
        let answer = board.snapshot.repeat_answers().remove(&put.identifier);
        let repeated = answer.and_then(|it| it.repeat(None, basis, &notices, board.lifetime, now));
        let decided = board.decide(&put);
        match repeated {
            Some(answer) => {
                // The fields come from an import's cache.
                let answer = Answer { basis: None, fields, ..answer };
                let unchanged = Decided {
                    answer,
                    change: None,
                    is_left: false,
                };
                prop_assert_eq!(decided, Ok(unchanged));
            }
            None => prop_assert!(!is_same || days > 29),
        }
    }

    #[test]
    fn stored_postings_hold_the_rules(commands in prop::collection::vec(any_body(), 0..8)) {
        let mut board = Board::new();
        for body in commands {
            let _ = board.put(&body.to_string());
            for posting in board.snapshot.postings.values() {
                let json = serde_json::to_string(posting).unwrap();
                prop_assert_eq!(posting, &serde_json::from_str(&json).unwrap());
                let details = &posting.details;
                prop_assert!(!details.title.is_empty());
                prop_assert!(details.application_email.is_some() || details.application_url.is_some());
                if let (Some(min), Some(max)) = (details.salary_min, details.salary_max) {
                    prop_assert!(min <= max);
                }
                prop_assert_eq!(posting.expired_at().is_some(), posting.status() == Status::Expired);
            }
        }
    }
}
