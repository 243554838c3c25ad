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
    assert_eq!(summaries(&state), expect);
    assert_eq!(items(&state)[0].since, noon() - hours(1));
}

fn summaries(state: &State) -> Vec<(&'static str, String, String)> {
    let items = items(state).into_iter();
    items
        .map(|item| (item.kind.as_str(), item.page, item.sentence))
        .collect()
}

fn of_client(counts: &Counts, visible: u64) -> State {
    let activity = Activity {
        last_push_at: Some(noon()),
        visible,
        days: vec![Day {
            date: noon().date(),
            counts: *counts,
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
    assert_eq!(summaries(&nothing()), []);
    assert_eq!(summaries(&of_client(&healthy, 97)), []);
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
    assert_eq!(summaries(&of_client(&refused, 20)), [expect]);

    let rejected = Counts {
        withdrawn: 40,
        updated: 100,
        ..Counts::default()
    };
    let sentence = "40 of 100 visible postings of Client 1 were rejected, or their new content \
                    is held back. Look at the source.";
    let expect = ("source_rejected", page.clone(), sentence.to_owned());
    assert_eq!(summaries(&of_client(&rejected, 60)), [expect]);

    let mut silent = of_client(&Counts::default(), 0);
    silent.clients[0].expect_every = Some(hours(1));
    silent.now += hours(2);
    let sentence = "Client 1 has pushed nothing since 2026-03-01. Look at the source, or expect it \
                    less often.";
    let expect = ("source_silent", page, sentence.to_owned());
    assert_eq!(summaries(&silent), [expect]);
    assert_eq!(items(&silent)[0].since, noon());
    silent.clients[0].revoked_at = Some(noon());
    assert_eq!(summaries(&silent), []);
}

/// The last import of a client's catalogue, of 100 lines that are updates.
fn last(of: u8, missing: u64, held: Option<HeldBecause>, changes: Changes) -> LastImport {
    LastImport {
        id: CatalogueId::new(uuid(of.into())),
        client: client(of.into()).id,
        name: valid(CatalogueName::new("berlin")),
        import: PastImport {
            started_at: noon(),
            finished_at: noon(),
            summary: Summary {
                counts: import::LineCounts {
                    lines: 100,
                    updated: 100,
                    ..import::LineCounts::default()
                },
                changes: Some(changes),
                missing: Some(Missing {
                    count: missing,
                    held,
                    ..Missing::default()
                }),
                complete: true,
            },
        },
        held: None,
    }
}

/// A day with 40 updates. Of 60 unchanged pushes, each refused push replaces one.
fn day(refused: u64, withdrawn: u64) -> Activity {
    let counts = Counts {
        updated: 40,
        unchanged: 60 - refused.min(60),
        refused,
        withdrawn,
        ..Counts::default()
    };
    Activity {
        last_push_at: Some(noon()),
        visible: 97 - withdrawn,
        days: vec![Day {
            date: noon().date(),
            counts,
        }],
        ..Activity::default()
    }
}

#[test]
fn an_honest_day_of_thirty_sources_raises_nothing_and_six_bad_ones_are_named() {
    let clients: Vec<_> = (1..=30).map(client).collect();
    let mut state = State {
        activities: clients.iter().map(|it| (it.id, day(2, 1))).collect(),
        imports: (1..=30)
            .map(|n| last(n, 3, None, Changes::default()))
            .collect(),
        clients,
        ..nothing()
    };
    assert_eq!(summaries(&state), []);

    let mut set = |n: u128, activity| state.activities.insert(client(n).id, activity);
    // Client 1 pushes error pages, which are held back. Client 2 pushes the text of a cookie wall,
    // which is rejected.
    set(
        1,
        Activity {
            held: 60,
            ..day(0, 0)
        },
    );
    set(2, day(0, 40));
    set(3, day(160, 0));
    set(
        6,
        Activity {
            last_push_at: Some(noon() - hours(25)),
            ..day(0, 0)
        },
    );
    state.clients[5].expect_every = Some(hours(24));
    state.imports[3] = last(4, 50, Some(HeldBecause::Share), Changes::default());
    let lost = Changes {
        lost: [("salary_min".to_owned(), 75)].into(),
        ..Changes::default()
    };
    state.imports[4] = last(5, 25, None, lost);
    let named = items(&state).into_iter().map(|item| {
        let (_, what_to_do) = item.sentence.rsplit_once(". ").unwrap();
        let of = (1..=30).rfind(|n| item.sentence.contains(&client(*n).name));
        (item.kind.as_str(), of, what_to_do.to_owned())
    });
    let named: Vec<_> = named.collect();
    let expect = [
        ("catalogue_held", 4, "Send it again, or let them expire."),
        ("catalogue_degraded", 5, "Look at the source."),
        ("source_rejected", 1, "Look at the source."),
        ("source_rejected", 2, "Look at the source."),
        ("source_refused", 3, "Its page has the reasons."),
        (
            "source_silent",
            6,
            "Look at the source, or expect it less often.",
        ),
    ];
    let expect = expect.map(|(kind, of, does)| (kind, Some(of), does.to_owned()));
    assert_eq!(named, expect);
}

#[test]
fn a_catalogue_is_named_with_its_client() {
    let changes = Changes {
        lost: [("salary_min".to_owned(), 40)].into(),
        same_text: 31,
        ..Changes::default()
    };
    let state = State {
        imports: vec![last(1, 41, Some(HeldBecause::Share), changes)],
        ..nothing()
    };
    let page = format!("/catalogues/{}", uuid(1));
    let held = "Catalogue berlin of Client 1 holds 41 postings back. Send it again, or let them \
                expire.";
    let degraded = "The last import of catalogue berlin of Client 1 looks degraded: 40 of 100 lost \
                    salary_min, 31 of 100 have the same text. Look at the source.";
    let expect = [
        ("catalogue_held", page.clone(), held.to_owned()),
        ("catalogue_degraded", page, degraded.to_owned()),
    ];
    assert_eq!(summaries(&state), expect);
    assert_eq!(items(&state)[0].client, Some(client(1).id));
}

#[test]
fn other_items_are_only_for_operators_or_their_owner() {
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
    let [(kind, page, sentence)] = &summaries(&state(1))[..] else {
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
    assert_eq!(summaries(&state(2)), []);
}
