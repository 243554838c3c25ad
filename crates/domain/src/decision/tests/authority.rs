//! Permissions to change shown values: companies and owners, and operators' removals.

use ::fields::Patch;
use kernel::{
    ClientId, Prefixes,
    testing::{by_ann, uuid},
};

use super::*;
use crate::{
    authority::Principal,
    catalogue::CatalogueId,
    company::Kept,
    decision::company::{self, CompanyChange},
    posting::{CompanyPatch, NamedBefore, Notice},
    testing::{push_as, pusher},
};

const TAKEN_DOWN: &str = "An operator took this posting down; only an operator can reopen it.";

fn fenced(client: u128, body: &str) -> PutPosting {
    let prefixes = Prefixes::new(&["a"]).unwrap();
    push_as(
        Principal::new(ClientId::new(uuid(client)), &prefixes),
        "a",
        body,
    )
}

fn of_company(name: &str, logo: &str) -> String {
    CREATE.replace(
        r#""name": "Acme""#,
        &format!(r#""name":"{name}","logo_path":"{logo}""#),
    )
}

fn other_company(body: &str) -> String {
    body.replace("https://acme.example", "https://other.example")
}

fn notices(board: &mut Board, put: &PutPosting) -> Vec<Notice> {
    let decision = board.decide(put).unwrap();
    board.record(decision.change.map(|change| *change));
    decision.answer.notices
}

fn shown(board: &Board) -> (&str, Option<&str>) {
    let company = board.company();
    (&company.name, company.logo_path.as_deref())
}

#[test]
fn a_client_with_prefixes_changes_no_company_of_another() {
    for owner in [Some(ClientId::new(uuid(2))), None] {
        let mut board = Board::new();
        board.run(&push("other", CREATE)).unwrap();
        board.snapshot.companies.values_mut().next().unwrap().owner = owner;
        for body in [
            of_company("INN CLOSED", "/evil.svg"),
            r#"{"title":"B","company":{"name":"INN CLOSED"}}"#.to_owned(),
            r#"{"company":{"logo_path":"/evil.svg"}}"#.to_owned(),
        ] {
            let put = fenced(1, &body);
            assert_eq!(notices(&mut board, &put), [Notice::CompanyOfAnother]);
            assert_eq!(shown(&board), ("Acme", None));
            assert_eq!(board.company().owner, owner);
        }
        assert_eq!(board.posting().details.title, "B");
        assert_eq!(notices(&mut board, &fenced(1, CREATE)), []);
        let given = CompanyChange {
            owner: Patch::Set(ClientId::new(uuid(1))),
            ..CompanyChange::default()
        };
        change(&mut board, &given);
        let body = of_company("Acme AB", "/1.svg");
        assert_eq!(notices(&mut board, &fenced(1, &body)), []);
        assert_eq!(shown(&board), ("Acme AB", Some("/1.svg")));
    }
}

#[test]
fn a_company_is_changed_by_its_owner_and_by_clients_without_prefixes() {
    for put in [
        fenced(1, &of_company("Acme AB", "/1.svg")),
        push_as(
            Principal::unfenced(ClientId::new(uuid(2))),
            "a",
            &of_company("Acme AB", "/1.svg"),
        ),
    ] {
        let mut board = Board::new();
        board.run(&fenced(1, CREATE)).unwrap();
        assert_eq!(notices(&mut board, &put), []);
        assert_eq!(shown(&board), ("Acme AB", Some("/1.svg")));
        assert_eq!(board.company().owner, Some(pusher()), "it stays the owner");
    }
}

#[test]
fn a_commit_requires_the_owner_that_one_of_its_commands_requires() {
    let required = |puts: &[PutPosting]| {
        let mut board = Board::new();
        board.run(&fenced(1, &other_company(CREATE))).unwrap();
        let writes = board.batch(puts);
        let mut required = writes.companies.values().map(|it| it.required_owner);
        required.next().unwrap()
    };
    let renamed = of_company("Acme AB", "/1.svg");
    let owner = Some(ClientId::new(uuid(1)));
    assert_eq!(required(&[fenced(1, CREATE)]), owner, "it makes one");
    let of_its_own = fenced(1, &other_company(&renamed));
    assert_eq!(required(&[of_its_own]), owner, "it changes one");
    assert_eq!(required(&[push("b", &renamed), fenced(1, CREATE)]), owner);
    assert_eq!(required(&[push("b", &renamed)]), None);
}

#[test]
fn the_first_line_of_an_import_decides_a_company() {
    let mut board = Board::new();
    let mut later = push("a", &of_company("Acme AB", "/2.svg"));
    later.company_named = NamedBefore::Differently;
    assert_eq!(notices(&mut board, &later), [Notice::CompanyNamedBefore]);
    assert_eq!(shown(&board), ("Acme AB", None));
    let first = push("b", &of_company("Acme", "/1.svg"));
    for board in [&mut board, &mut Board::new()] {
        assert_eq!(notices(board, &first), []);
    }
    assert_eq!(notices(&mut board, &later), [Notice::CompanyNamedBefore]);
    assert_eq!(shown(&board), ("Acme", Some("/1.svg")));
    for (logo, expect) in [
        ("/1.svg", vec![]),
        ("/2.svg", vec![Notice::CompanyNamedBefore]),
    ] {
        let mut put = push("a", &of_company("Acme", logo));
        put.company_named = NamedBefore::Differently;
        assert_eq!(notices(&mut board, &put), expect);
    }
}

/// The commit of the earlier line, which sets the same name and logo, may still be in progress.
#[test]
fn a_line_that_names_a_company_like_an_earlier_one_gets_no_notice() {
    let mut alike = push("a", &of_company("Acme AB", "/2.svg"));
    alike.company_named = NamedBefore::Alike;
    for mut board in [Board::new(), Board::with(Status::Approved)] {
        let decided = board.decide(&alike).unwrap();
        assert_eq!((decided.answer.notices, decided.is_left), (vec![], true));
        board.record(decided.change.map(|change| *change));
        assert_eq!(shown(&board).1, None);
    }
    let mut board = Board::with(Status::Approved);
    board
        .run(&push("b", &of_company("Acme AB", "/2.svg")))
        .unwrap();
    assert!(!board.decide(&alike).unwrap().is_left);
    correct(&mut board, Some("Acme"), &Patch::Keep, Kept::default());
    assert_eq!(notices(&mut board, &alike), [Notice::CompanyOfOperator]);
    let mut without_logo = push("a", CREATE);
    without_logo.company_named = NamedBefore::Alike;
    assert!(!Board::new().decide(&without_logo).unwrap().is_left);
}

fn correct(board: &mut Board, name: Option<&str>, logo: &Patch<&str>, release: Kept) {
    let patch = CompanyPatch::parse(name, logo).unwrap();
    let owner = Patch::Keep;
    change(
        board,
        &CompanyChange {
            patch,
            owner,
            release,
        },
    );
}

fn change(board: &mut Board, command: &CompanyChange) {
    let ann = Actor::Operator(Some(by_ann(1).operator));
    let write = company::change(board.company(), command, ann, noon());
    let after = write.unwrap().company;
    board.snapshot.companies.insert(after.id, after);
}

#[test]
fn parts_of_a_company_set_by_an_operator_stay_until_released() {
    let nothing = Kept::default();
    let all = Kept {
        name: true,
        logo: true,
    };
    let kept = |board: &mut Board, put: &PutPosting, outcome, shows| {
        let decision = board.decide(put).unwrap();
        assert_eq!(decision.answer.outcome, outcome);
        assert_eq!(decision.answer.notices, [Notice::CompanyOfOperator]);
        board.record(decision.change.map(|change| *change));
        assert_eq!(shown(board), shows);
    };
    let evil = of_company("INN CLOSED", "/evil.svg");
    let listed = push("a", &evil).listed_in(CatalogueId::new(uuid(1)));
    for put in [fenced(1, &evil), push("a", &evil), listed] {
        let mut board = Board::new();
        board.run(&put).unwrap();
        board.enrich(&Verdict::Approve).unwrap();
        assert_eq!(
            board.decide(&put).unwrap().change,
            None,
            "it changes nothing"
        );

        correct(&mut board, Some("Acme"), &Patch::Clear, nothing);
        board.enrich(&Verdict::Approve);
        kept(&mut board, &put, PutOutcome::Unchanged, ("Acme", None));
        assert_eq!(board.decide(&put).unwrap().change, None);
        let other = push("b", &evil);
        kept(&mut board, &other, PutOutcome::Created, ("Acme", None));

        correct(&mut board, None, &Patch::Keep, Kept { name: false, ..all });
        let new_name = of_company("Acme AB", "/2.svg");
        let by_another = push_as(Principal::unfenced(ClientId::new(uuid(9))), "b", &new_name);
        board.run(&by_another).unwrap();
        assert_eq!(
            shown(&board),
            ("Acme", Some("/2.svg")),
            "the logo is released"
        );
        correct(&mut board, None, &Patch::Keep, all);
        assert_eq!(notices(&mut board, &by_another), []);
        assert_eq!(shown(&board).0, "Acme AB");
    }
}

#[test]
fn an_operator_keeps_a_name_that_the_company_has_already() {
    let mut board = Board::new();
    board.run(&push("a", CREATE)).unwrap();
    correct(&mut board, Some("Acme"), &Patch::Keep, Kept::default());
    let put = push("a", &of_company("Acme AB", "/1.svg"));
    assert_eq!(notices(&mut board, &put), [Notice::CompanyOfOperator]);
    assert_eq!(shown(&board), ("Acme", Some("/1.svg")));
}

/// The line that decides the company's name may create the company in another commit.
#[test]
fn a_later_line_names_a_company_only_while_there_is_none() {
    let mut put = push("a", &of_company("Acme AB", "/2.svg"));
    for is_later in [true, false] {
        put.company_named = if is_later {
            NamedBefore::Differently
        } else {
            NamedBefore::No
        };
        let writes = Board::new().batch(std::slice::from_ref(&put));
        let writes: Vec<_> = writes.companies.into_values().collect();
        assert_eq!((writes.len(), &*writes[0].company.name), (1, "Acme AB"));
        let sets = (writes[0].sets_name, writes[0].sets_logo_path);
        assert_eq!(sets, (!is_later, !is_later));
    }
}

fn taken_down(command: &Moderation) -> Board {
    let mut board = Board::with(Status::Approved);
    board.moderate(command).unwrap();
    board
}

fn takedowns() -> [Moderation; 2] {
    [expire("scam"), reject("scam")]
}

#[test]
fn what_an_operator_took_down_only_an_operator_brings_back() {
    for command in takedowns() {
        let mut board = taken_down(&command);
        let before = board.posting().clone();
        let refused = board.put(r#"{"expiration":null,"title":"x"}"#).unwrap_err();
        assert_eq!(refused.to_string(), TAKEN_DOWN, "{command:?}");
        assert_eq!(*board.posting(), before);
        let wrong = board.wrong(r#"{"expiration":null,"title":""}"#);
        assert_eq!(wrong, ["title"], "fields come first");
    }
    let mut open = Board::with(Status::Approved);
    open.moderate(&Moderation::Approve).unwrap();
    assert!(open.put(REOPEN).is_ok());
}

#[test]
fn a_catalogue_updates_what_was_taken_down_and_leaves_it_down() {
    for (command, notice) in takedowns()
        .into_iter()
        .zip([Notice::TakenDown, Notice::StillRejected])
    {
        for body in [r#"{"title":"x"}"#, REOPEN] {
            let mut board = taken_down(&command);
            let status = board.posting().status();
            let put = push("a", body).listed_in(CatalogueId::new(uuid(1)));
            let expect = vec![notice.clone()];
            assert_eq!(notices(&mut board, &put), expect, "{body}");
            assert_eq!(board.posting().status(), status);
            assert_eq!(board.reason(), Some("scam"));
            let decision = board.decide(&put).unwrap();
            assert_eq!((decision.change, decision.answer.notices), (None, expect));
        }
    }
}

#[test]
fn a_client_that_expires_what_was_taken_down_changes_no_reason() {
    let mut board = taken_down(&takedowns()[0]);
    let put = push("a", r#"{"expiration":{"reason":"filled"}}"#);
    assert_eq!(notices(&mut board, &put), []);
    let posting = board.posting();
    assert_eq!(posting.status_reason(), Some("scam"));
    assert_eq!(posting.details.expiration_reason.as_deref(), Some("filled"));
    assert!(board.put(REOPEN).is_err());
}

#[test]
fn an_operator_reopens_what_expired() {
    for mut board in [taken_down(&takedowns()[0]), Board::with(Status::Expired)] {
        assert!(board.moderate(&reopen("a mistake")).unwrap().asked);
        assert_eq!(board.posting().details.expiration_reason, None);
        assert!(!board.posting().is_moderated());
        assert_eq!(board.step().1, Some("a mistake"));
        board.put(EXPIRE).unwrap();
        board.put(REOPEN).unwrap();
    }
}

#[test]
fn an_operator_takes_down_what_a_client_expired() {
    let mut board = Board::with(Status::Expired);
    let written = board.moderate(&takedowns()[0]).unwrap();
    assert_eq!(written.events, [], "it was expired before");
    assert_eq!(board.reason(), Some("scam"));
    let refused = board.put(REOPEN).unwrap_err();
    assert_eq!(refused.to_string(), TAKEN_DOWN);
}
