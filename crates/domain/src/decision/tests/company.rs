use kernel::{Actor, CompanyId, event::PostingState, testing::identifier};

use super::*;
use crate::{
    decision::merge,
    posting::Notice,
    testing::{create, put_id},
};

#[test]
fn a_new_website_makes_a_company() {
    let mut board = Board::new();
    let (_, written) = board.put(CREATE).unwrap();
    assert_eq!(written.companies, 1);
    assert_eq!(board.company().website.as_str(), "https://acme.example");
    let id = uuid::Uuid::new_v5(&uuid::Uuid::NAMESPACE_URL, b"acme.example");
    assert_eq!(board.company().id, CompanyId::new(id));
}

#[test]
fn a_known_website_in_any_spelling_is_the_same_company() {
    let mut board = Board::new();
    board.put(CREATE).unwrap();
    for other in [
        "HTTPS://ACME.example:443/./#jobs",
        "http://www.acme.example/?gh_src=abc",
        "https://acme.example",
    ] {
        let body = CREATE.replace("https://acme.example", other);
        let (_, written) = board.put(&body).unwrap();
        assert_eq!(written, Written::default(), "{other}");
        let (_, written) = board.run(&push(other, &body)).unwrap();
        assert_eq!(written.companies, 0, "{other}");
    }
    assert_eq!(board.snapshot.companies.len(), 1);
    assert_eq!(board.company().website.as_str(), "https://acme.example");
}

fn with_alias() -> (Board, CompanyId) {
    let mut board = Board::with(Status::Approved);
    let bolt = Company {
        alias_of: Some(board.company().id),
        ..crate::testing::company("bolt")
    };
    let id = bolt.id;
    board.snapshot.companies.insert(id, bolt);
    (board, id)
}

#[test]
fn a_push_that_names_an_alias_means_its_company_and_leaves_that_as_it_is() {
    let (mut board, bolt) = with_alias();
    let acme = board.company().clone();
    let body = r#"{"company":{"website_url":"http://bolt.example/","name":"Bolt"}}"#;
    let put = push("a", body);
    let decided = board.decide(&put).unwrap();
    assert_eq!(decided.change, None);
    assert_eq!(decided.answer.notices, [Notice::CompanyByAlias]);
    assert_eq!(board.posting().came_by, None, "it stays as it came");
    let (_, written) = board.run(&create("b", "bolt")).unwrap();
    assert_eq!(written.companies, 0);
    let posting = &board.snapshot.postings[&identifier("b")];
    assert_eq!((posting.company_id, posting.came_by), (acme.id, Some(bolt)));
    // A push with the company's own website leaves `came_by` unchanged.
    let own = r#"{"company":{"website_url":"https://acme.example"}}"#;
    let (_, written) = board.run(&push("b", own)).unwrap();
    assert_eq!(written, Written::default());
    board.run(&create("b", "core")).unwrap();
    let posting = &board.snapshot.postings[&identifier("b")];
    assert_eq!(posting.came_by, None);
    assert_eq!(*board.company(), acme);
}

#[test]
fn a_posting_of_an_alias_moves_and_comes_back_with_what_an_operator_approved() {
    let (mut board, bolt) = with_alias();
    let acme = board.company().id;
    let mut posting = board.posting().clone();
    (posting.company_id, posting.came_by) = (bolt, None);
    let own = ContentHash::of(&posting.details, &board.snapshot.companies[&bolt]);
    (posting.enriched_hash, posting.approved_hash) = (Some(own), Some(own));
    let settle = |board: &Board, posting: &Posting| {
        merge::settle(
            &board.snapshot,
            posting,
            bolt,
            Actor::Operator(None),
            board.now,
        )
    };
    let moved = settle(&board, &posting).unwrap();
    assert!(moved.asks_for_enrichment);
    assert_eq!(moved.events, [event::JOB_POSTING_UPDATED]);
    let moved = moved.write.posting;
    assert_eq!((moved.company_id, moved.came_by), (acme, Some(bolt)));
    let content = ContentHash::of(&moved.details, &board.snapshot.companies[&acme]);
    assert_eq!(moved.approved_hash, Some(content));
    assert_eq!(settle(&board, &moved), None);
    let alias = board.snapshot.companies.get_mut(&bolt).unwrap();
    alias.alias_of = None;
    let back = settle(&board, &moved).unwrap().write.posting;
    assert_eq!((back.company_id, back.came_by), (bolt, None));
    assert_eq!(back.approved_hash, Some(own));
    assert_eq!(settle(&board, &back), None);
    assert_eq!(
        settle(&board, board.posting()),
        None,
        "what came by itself stays"
    );
}

#[test]
fn a_push_without_website_updates_the_company_of_the_posting() {
    let mut board = Board::with(Status::Approved);
    let body = r#"{"company":{"name":"Acme AB","logo_path":"/l.svg"}}"#;
    board.put(body).unwrap();
    assert_eq!(board.company().name, "Acme AB");
    assert_eq!(board.company().logo_path.as_deref(), Some("/l.svg"));
    board.enrich(&Verdict::Approve).unwrap();
    assert_eq!(board.put(body).unwrap().1, Written::default());
}

#[test]
fn a_change_of_the_company_is_no_change_of_the_posting() {
    for (company, asked) in [
        (r#""name":"Acme AB""#, true),
        (r#""logo_path":"/l.svg""#, false),
    ] {
        let mut board = Board::with(Status::Approved);
        let before = board.posting().clone();
        let body = format!(r#"{{"company":{{{company}}}}}"#);
        let expect = Written {
            companies: 1,
            asked,
            events: vec![event::COMPANY_UPDATED],
            ..Written::default()
        };
        assert_eq!(board.put(&body).unwrap().1, expect);
        assert_eq!(*board.posting(), before);
    }
}

#[test]
fn a_change_of_the_company_raises_an_event_beside_that_of_the_posting() {
    for (status, fields, event) in [
        (Status::Approved, r#""title":"B""#, &["Updated"][..]),
        (Status::Approved, r#""expiration":{}"#, &["Expired"]),
        (Status::Expired, r#""expiration":{},"title":"B""#, &[]),
        (Status::Expired, r#""expiration":null"#, &["Reopened"]),
    ] {
        let mut board = Board::with(status);
        let body = format!(r#"{{{fields},"company":{{"name":"Acme AB"}}}}"#);
        board.put(&body).unwrap();
        let posting = board.posting();
        let company = board.snapshot.companies[&posting.company_id].clone();
        let of_company = Subject::Company(crate::testing::company_state(&company));
        let of_posting = Subject::Posting(PostingState::from(posting));
        let told = board.told.iter();
        let told: Vec<_> = told.map(|it| (it.name.to_string(), &it.subject)).collect();
        let of_posting = event
            .iter()
            .map(|name| (format!("JobPosting{name}"), &of_posting));
        let expect = [("CompanyUpdated".to_owned(), &of_company)]
            .into_iter()
            .chain(of_posting);
        assert_eq!(told, expect.collect::<Vec<_>>(), "{body}");
    }
}

#[test]
fn a_new_company_is_no_change_of_one() {
    let mut board = Board::with(Status::Approved);
    let body = r#"{"company":{"website_url":"https://new.example","name":"New"}}"#;
    let (given, written) = board.put(body).unwrap();
    assert_eq!(given, (put_id("a"), PutOutcome::Updated));
    assert_eq!(
        (written.companies, written.events),
        (1, vec![event::JOB_POSTING_UPDATED])
    );
}

#[test]
fn a_push_after_another_renamed_the_company_only_asks_for_enrichment() {
    let mut board = Board::with(Status::Approved);
    let rename = |board: &mut Board, id: &str, name: &str| {
        let written = board
            .run(&push(id, &CREATE.replace("Acme", name)))
            .unwrap()
            .1;
        let expect = [event::COMPANY_UPDATED, event::JOB_POSTING_CREATED];
        assert_eq!(written.events, expect);
    };
    rename(&mut board, "b", "Acme AB");
    let before = board.posting().clone();
    let asked = Written {
        asked: true,
        ..Written::default()
    };
    for body in ["{}", r#"{"company":{"name":"Acme AB"}}"#] {
        assert_eq!(
            board.put(body).unwrap(),
            ((put_id("a"), PutOutcome::Unchanged), asked.clone())
        );
    }
    assert_eq!(*board.posting(), before);
    board.enrich(&Verdict::Approve).unwrap();
    assert_eq!(board.put("{}").unwrap().1, Written::default());
    board.put(EXPIRE).unwrap();
    rename(&mut board, "c", "Acme AS");
    assert_eq!(board.put(EXPIRE).unwrap().1, Written::default());
}

#[test]
fn only_a_name_that_changed_asks_again() {
    // The first push has already requested enrichment.
    let mut board = Board::with(Status::Approved);
    board.put(RENAME).unwrap();
    assert_eq!(board.put("{}").unwrap().1, Written::default());
    // A logo is in no text, and expired postings are not enriched.
    let logo = r#"{"company":{"logo_path":"/l.svg"}}"#;
    let name = r#"{"company":{"name":"Acme AB"}}"#;
    for (status, other) in [(Status::Approved, logo), (Status::Expired, name)] {
        let mut board = Board::with(status);
        board.run(&push("b", CREATE)).unwrap();
        board.run(&push("b", other)).unwrap();
        assert_eq!(board.put("{}").unwrap().1, Written::default(), "{other}");
    }
}

#[test]
fn a_push_with_another_known_website_moves_the_posting() {
    let mut board = Board::with(Status::Approved);
    board.run(&create("b", "bolt")).unwrap();
    let (_, written) = board
        .put(r#"{"company":{"website_url":"https://bolt.example"}}"#)
        .unwrap();
    assert_eq!((written.companies, written.postings), (0, 1));
    assert!(written.asked, "its texts hide the wrong company now");
    assert_eq!(board.posting().company_id, board.find("b").company_id);
}

#[test]
fn creation_needs_a_name_even_of_a_known_company() {
    let mut board = Board::with(Status::Approved);
    let body = CREATE.replace(r#""name": "Acme", "#, "");
    match board.run(&push("b", &body)) {
        Err(Rejection::Invalid(errors)) => assert!(errors.concern("company.name")),
        other => panic!("{other:?}"),
    }
}

#[test]
fn two_pushes_of_one_company_in_a_batch_are_one_write() {
    for (logo, sets_logo_path) in [("", false), (r#","logo_path":"/l.svg""#, true)] {
        let of = |company: &str| CREATE.replace(r#""Acme""#, company);
        let first = push("a", &of(&format!(r#""Acme"{logo}"#)));
        let writes = Board::new().batch(&[first, push("b", &of(r#""Acme AB""#))]);
        let [write] = writes.companies.values().collect::<Vec<_>>()[..] else {
            panic!("one company is one write");
        };
        assert_eq!((&*write.company.name, write.sets_name), ("Acme AB", true));
        assert_eq!(write.sets_logo_path, sets_logo_path);
    }
}
