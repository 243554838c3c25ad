use access::{
    activity::{Counts, Day},
    testing::client,
};
use domain::{
    catalogue::{CatalogueId, PastImport},
    import::{self, Changes, HeldBecause, Missing, Summary},
};
use kernel::{
    CatalogueName,
    event::Cursor,
    outbox::Kind,
    testing::{hours, noon, uuid, valid},
};
use webhooks::{Health, testing::endpoint};

use super::*;

fn nothing() -> State {
    State {
        now: noon(),
        clients: vec![client(1)],
        activities: HashMap::new(),
        backlog: Vec::new(),
        endpoints: Vec::new(),
        imports: Vec::new(),
        accounts: Vec::new(),
        lookalikes: Vec::new(),
        reports: Waiting::default(),
        objections: Waiting::default(),
    }
}

#[test]
fn reports_and_objections_wait_for_a_decision() {
    let state = State {
        reports: Waiting {
            count: 2,
            since: Some(noon() - hours(1)),
        },
        objections: Waiting {
            count: 1,
            since: Some(noon()),
        },
        ..nothing()
    };
    let kind = "reports_waiting";
    let item = |sentence: &str| (kind, "/reports".to_owned(), sentence.to_owned());
    let expect = [
        item("2 reports of readers wait for a decision."),
        item("1 objection of a client waits for a decision."),
    ];
    assert_eq!(told(&state), expect);
    assert_eq!(items(&state)[0].since, noon() - hours(1));
}

fn told(state: &State) -> Vec<(&'static str, String, String)> {
    let items = items(state).into_iter();
    items
        .map(|item| (item.kind.as_str(), item.page, item.sentence))
        .collect()
}

fn of_client(counts: Counts, visible: u64) -> State {
    let activity = Activity {
        last_push_at: Some(noon()),
        visible,
        days: vec![Day {
            date: noon().date(),
            counts,
        }],
        ..Activity::default()
    };
    State {
        activities: [(client(1).id, activity)].into(),
        ..nothing()
    }
}

#[test]
fn a_state_in_order_has_no_items() {
    let healthy = Counts {
        updated: 40,
        unchanged: 57,
        refused: 3,
        ..Counts::default()
    };
    assert_eq!(told(&nothing()), []);
    assert_eq!(told(&of_client(healthy, 97)), []);
}

#[test]
fn a_source_is_named_with_what_to_do() {
    let page = format!("/clients/{}", client(1).id);
    let refused = Counts {
        refused: 80,
        created: 20,
        ..Counts::default()
    };
    let sentence = "80 of 100 pushes of Client 1 were refused. Its page has the reasons.";
    let expect = ("source_refused", page.clone(), sentence.to_owned());
    assert_eq!(told(&of_client(refused, 20)), [expect]);

    let rejected = Counts {
        withdrawn: 40,
        updated: 100,
        ..Counts::default()
    };
    let sentence = "40 of 100 visible postings of Client 1 were rejected, or their new content \
                    is held back. Look at the source.";
    let expect = ("source_rejected", page.clone(), sentence.to_owned());
    assert_eq!(told(&of_client(rejected, 60)), [expect]);

    let mut silent = of_client(Counts::default(), 0);
    silent.clients[0].expect_every = Some(hours(1));
    silent.now += hours(2);
    let sentence = "Client 1 has pushed nothing since 2026-03-01. Look at the source, or expect it \
                    less often.";
    let expect = ("source_silent", page, sentence.to_owned());
    assert_eq!(told(&silent), [expect]);
    assert_eq!(items(&silent)[0].since, noon());
    silent.clients[0].revoked_at = Some(noon());
    assert_eq!(told(&silent), []);
}

#[test]
fn a_catalogue_is_named_with_its_client() {
    let last = |summary| LastImport {
        id: CatalogueId::new(uuid(7)),
        client: client(1).id,
        name: valid(CatalogueName::new("berlin")),
        import: PastImport {
            started_at: noon(),
            finished_at: noon(),
            summary,
        },
        held: None,
    };
    let summary = Summary {
        counts: import::Counts {
            lines: 100,
            updated: 100,
            ..import::Counts::default()
        },
        changes: Some(Changes {
            lost: [("salary_min".to_owned(), 40)].into(),
            same_text: 31,
            ..Changes::default()
        }),
        missing: Some(Missing {
            count: 41,
            held: Some(HeldBecause::Share),
            ..Missing::default()
        }),
        complete: true,
    };
    let state = State {
        imports: vec![last(summary)],
        ..nothing()
    };
    let page = format!("/catalogues/{}", uuid(7));
    let held = "Catalogue berlin of Client 1 holds 41 postings back. Send it again, or let them \
                expire.";
    let degraded = "The last import of catalogue berlin of Client 1 looks degraded: 40 of 100 lost \
                    salary_min, 31 of 100 have the same text. Look at the source.";
    let expect = [
        ("catalogue_held", page.clone(), held.to_owned()),
        ("catalogue_degraded", page, degraded.to_owned()),
    ];
    assert_eq!(told(&state), expect);
    assert_eq!(items(&state)[0].client, Some(client(1).id));
}

#[test]
fn what_is_no_posting_is_for_operators_or_its_owner_alone() {
    let (enrich, mut gone) = (domain::posting::ENRICH.kind(), endpoint(1));
    gone.state = EndpointState::Disabled;
    gone.state_reason = Some("410".to_owned());
    let backlog = |kind: Kind| Backlog {
        kind,
        waiting: 0,
        dead: 1,
        oldest: None,
    };
    let paused = AccountState {
        paused_until: Some(noon() + hours(1)),
        pause_reason: Some("401".to_owned()),
        reconciled_at: None,
    };
    let state = State {
        backlog: vec![backlog(enrich), backlog(newsletter::tasks::KINDS[0])],
        endpoints: vec![TrackedEndpoint {
            endpoint: gone,
            cursor: Cursor::START,
            health: Health::default(),
        }],
        accounts: vec![
            (Account::New, paused),
            (Account::Old, AccountState::default()),
        ],
        ..nothing()
    };
    let found = items(&state);
    let found: Vec<_> = found
        .iter()
        .map(|item| (item.kind, item.is_of_board))
        .collect();
    let expect = [
        (AttentionKind::TaskDead, true),
        (AttentionKind::TaskDead, false),
        (AttentionKind::WebhookDisabled, false),
        (AttentionKind::ProviderPaused, false),
    ];
    assert_eq!(found, expect);
}

#[test]
fn a_company_on_the_site_of_another_owner_is_an_item_until_they_have_one_owner() {
    use domain::{
        company::{CompanyPair, CompanyView},
        testing::{company, company_view},
    };
    let of = |host: &str, owner: u128, hour: i64| CompanyView {
        company: domain::company::Company {
            website: company("acme").website,
            owner: Some(ClientId::new(uuid(owner))),
            ..company(host)
        },
        created_at: noon() + hours(hour),
        ..company_view(&company(host))
    };
    let pair = |owner: u128| {
        let (one, other) = (of("acme", 2, 0), of("bolt", owner, 1));
        CompanyPairView {
            pair: CompanyPair {
                companies: [one.company.id, other.company.id],
                is_similar: false,
                lookalike: Some(other.company.id),
                since: noon(),
            },
            companies: [one, other],
        }
    };
    let state = |owner| State {
        lookalikes: vec![pair(owner)],
        ..nothing()
    };
    let [(kind, page, sentence)] = &told(&state(1))[..] else {
        panic!("one item");
    };
    assert_eq!(
        (*kind, &**page),
        ("company_lookalike", "/companies/similar")
    );
    assert!(
        sentence.starts_with("bolt (https://acme.example) of "),
        "{sentence}"
    );
    assert_eq!(told(&state(2)), []);
}
