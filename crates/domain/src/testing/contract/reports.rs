//! Reports of readers, statements, and objections.

use kernel::{
    DecisionCode, EventDecision, Ground, Prefixes, ReportId, Status, StoreError,
    event::{Event, EventLog, LogQuery, ReportState as Told, Subject},
    testing::{Absent, Checked, by_ann, hours, identifier, minutes, noon, uuid},
};
use time::{Duration, OffsetDateTime};

use super::{change, events::until_all_readable, lifetime, posting, put, view};
use crate::{
    posting::{
        DecisionOutcome, Objection, ObjectionState, Statement,
        event::{JOB_POSTING_ERASED, JOB_POSTING_REJECTED, REPORT_DECIDED},
        moderation::Moderation,
    },
    report::{
        MOST_OF_POSTING, MOST_OF_REPORTER, NewReport, PostingName, Report, ReportReason,
        ReportState, Reporter, Reports, TooMany, Waiting,
    },
    store::{PostingReader, Retention, Store, WriteSet},
    testing::{create, state},
    usecase::{
        ModerationError, ObjectionAnswer, Refused, act_on_report, answer_objection, dismiss_report,
        erase, object, report,
    },
};

fn new(posting: &str, email: Option<&str>) -> NewReport {
    NewReport {
        posting: PostingName(identifier(posting)),
        reason: ReportReason::Fraud,
        statement: "It \"asks\" for\\ money, 😀.".to_owned(),
        reporter: email.map(|email| Reporter {
            name: Some("Ann Reader".to_owned()),
            email: email.to_owned(),
        }),
        url: Some("https://board.example/1".to_owned()),
    }
}

fn report_id(n: u128) -> ReportId {
    ReportId::new(uuid(0x700 + n))
}

async fn send<S: Store + Reports>(
    store: &S,
    n: u128,
    posting: &str,
    email: Option<&str>,
) -> Result<ReportId, ModerationError> {
    let now = noon() + minutes(i64::try_from(n).unwrap_or_default());
    let new = new(posting, email);
    report((store, store), &new, report_id(n), &Prefixes::ALL, now).await
}

async fn found<S: Reports>(store: &S, n: u128) -> Checked<Report> {
    Ok(store.report(report_id(n)).await?.ok_or(Absent)?)
}

fn ids(reports: &[Report]) -> Vec<ReportId> {
    reports.iter().map(|report| report.id).collect()
}

fn reject() -> Moderation {
    Moderation::Reject {
        reason: "A fraud.".to_owned(),
        ground: Ground::Law,
    }
}

async fn events<S: Store + EventLog>(store: &S) -> Checked<Vec<Event>> {
    until_all_readable(store).await?;
    let query = LogQuery {
        after: None,
        names: vec![REPORT_DECIDED, JOB_POSTING_REJECTED, JOB_POSTING_ERASED],
        prefixes: Prefixes::ALL,
        reader: None,
        limit: 99,
    };
    let page = store.read(&query).await?.events;
    Ok(page.into_iter().map(|recorded| recorded.event).collect())
}

async fn objected<S: Store + PostingReader>(store: &S, later: OffsetDateTime) -> Checked {
    let by = kernel::ClientId::new(uuid(1));
    Ok(object(
        (store, store),
        &identifier("a"),
        "It is \"no\" fraud.",
        by,
        later,
    )
    .await?)
}

kernel::contract_cases!(
    reports,
    impl Store + PostingReader + EventLog + Reports + Retention,
    async fn a_reporter_has_one_report_about_a_posting(store: &S) {
        put(store, &[create("a", "acme"), create("b", "acme")]).await?;
        assert_eq!(
            send(store, 1, "a", Some("ann@r.example")).await?,
            report_id(1)
        );
        assert_eq!(
            send(store, 2, "a", Some("ann@r.example")).await?,
            report_id(1)
        );
        assert_eq!(
            send(store, 3, "b", Some("ann@r.example")).await?,
            report_id(3)
        );
        assert_eq!(
            send(store, 4, "a", Some("bob@r.example")).await?,
            report_id(4)
        );
        assert_eq!(send(store, 5, "a", None).await?, report_id(5));
        let by_uuid = posting(store, "a").await?.id.to_string();
        assert_eq!(
            send(store, 6, &by_uuid, Some("ann@r.example")).await?,
            report_id(1)
        );
        let sent = new("a", Some("ann@r.example"));
        let expect = Report {
            id: report_id(1),
            posting: posting(store, "a").await?.id,
            source_identifier: identifier("a"),
            reason: sent.reason,
            statement: sent.statement,
            url: sent.url,
            reporter: sent.reporter,
            at: noon() + minutes(1),
            decision: None,
        };
        assert_eq!(found(store, 1).await?, expect);
        let all = store.reports(ReportState::Waiting, None, 3).await?;
        assert_eq!(ids(&all), [1, 3, 4].map(report_id));
        let after = all.last().map(|report| (report.at, report.id));
        let rest = store.reports(ReportState::Waiting, after, 3).await?;
        assert_eq!(ids(&rest), [report_id(5)]);
        let of_a = store.waiting_reports(&[expect.posting]).await?;
        assert_eq!(ids(&of_a), [1, 4, 5].map(report_id));
        let waiting = Waiting {
            count: 4,
            since: Some(noon() + minutes(1)),
        };
        assert_eq!(store.count_waiting().await?, waiting);
        let beyond = Prefixes::new(&["b"])?;
        let fenced = report(
            (store, store),
            &new("a", None),
            report_id(9),
            &beyond,
            noon(),
        )
        .await;
        assert!(
            matches!(fenced, Err(ModerationError::Rejected(_))),
            "{fenced:?}"
        );
        assert!(send(store, 9, "c", None).await.is_err());
    },
    async fn reports_are_limited_by_reporter_and_posting(store: &S) {
        let names: Vec<_> = (0..=MOST_OF_REPORTER).map(|n| format!("job-{n}")).collect();
        let batch: Vec<_> = names.iter().map(|name| create(name, "acme")).collect();
        put(store, &batch).await?;
        for (n, name) in (0..).zip(&names) {
            let sent = send(store, n, name, Some("ann@r.example")).await;
            let is_last = n == MOST_OF_REPORTER as u128;
            let expect = if is_last {
                Err(TooMany::OfReporter.into())
            } else {
                Ok(report_id(n))
            };
            assert_eq!(sent, expect, "{n}");
        }
        let tomorrow = noon() + Duration::days(2);
        let (new_one, all) = (
            new(&names[MOST_OF_REPORTER], Some("ann@r.example")),
            Prefixes::ALL,
        );
        report((store, store), &new_one, report_id(99), &all, tomorrow).await?;
        for n in 1..MOST_OF_POSTING as u128 {
            send(store, 100 + n, "job-0", None).await?;
        }
        let more = send(store, 200, "job-0", None).await;
        assert_eq!(more, Err(TooMany::OfPosting.into()));
    },
    async fn acting_on_a_report_answers_all_about_the_posting(store: &S) {
        put(store, &[create("a", "acme"), create("b", "acme")]).await?;
        for (n, name) in [(1, "a"), (2, "a"), (3, "b"), (4, "b")] {
            send(store, n, name, None).await?;
        }
        let (by, later) = (by_ann(1), noon() + hours(1));
        let (ports, id) = ((store as _, store as _), report_id(2));
        let stale = act_on_report(ports, id, &reject(), Some(9), &by, lifetime(), later).await;
        assert!(
            matches!(stale, Err(ModerationError::Changed { .. })),
            "{stale:?}"
        );
        let acted = act_on_report(ports, id, &reject(), Some(1), &by, lifetime(), later).await;
        assert_eq!(acted, Ok(2));
        let again = act_on_report(ports, id, &reject(), None, &by, lifetime(), later).await;
        assert_eq!(again, Err(ModerationError::Decided("acted".to_owned())));
        dismiss_report(ports, report_id(3), "All is well.", &by, later).await?;
        let states = [1, 2, 3, 4].map(report_id);
        let mut found = Vec::new();
        for id in states {
            let report = store.report(id).await?.ok_or(Absent)?;
            found.push((
                report.state(),
                report.decision.map(|it| (it.at, it.sentence)),
            ));
        }
        let decided = |sentence: &str| Some((later, sentence.to_owned()));
        let expect = [
            (ReportState::Acted, decided("A fraud.")),
            (ReportState::Acted, decided("A fraud.")),
            (ReportState::Dismissed, decided("All is well.")),
            (ReportState::Waiting, None),
        ];
        assert_eq!(found, expect);
        assert_eq!(store.count_waiting().await?.count, 1);

        let view = view(store, "a").await?;
        let decision = view.decision.ok_or(Absent)?;
        assert_eq!(view.posting.status(), Status::Rejected);
        assert_eq!(
            (decision.by_notice, decision.ground),
            (true, Some(Ground::Law))
        );
        let events = events(store).await?;
        let names: Vec<_> = events.iter().map(|event| event.name.clone()).collect();
        let told = [
            JOB_POSTING_REJECTED,
            REPORT_DECIDED,
            REPORT_DECIDED,
            REPORT_DECIDED,
        ];
        assert_eq!(names, told);
        let rejected = EventDecision {
            code: DecisionCode::OPERATOR,
            ground: Some(Ground::Law),
            by_notice: true,
        };
        let Subject::Posting(state) = &events[0].subject else {
            return Err(Absent.into());
        };
        assert_eq!(state.decision, Some(rejected));
        let dismissed = Told {
            id: report_id(3),
            posting: posting(store, "b").await?.id,
            source_identifier: identifier("b"),
            acted: false,
            sentence: "All is well.".to_owned(),
        };
        assert_eq!(events[3].subject, Subject::Report(dismissed));
    },
    async fn reporters_are_forgotten_after_the_decision(store: &S) {
        put(store, &[create("a", "acme"), create("b", "acme")]).await?;
        send(store, 1, "a", Some("ann@r.example")).await?;
        send(store, 2, "b", Some("ann@r.example")).await?;
        let (ports, at) = ((store as _, store as _), noon() + hours(1));
        dismiss_report(ports, report_id(1), "No.", &by_ann(1), at).await?;
        assert_eq!(store.forget_reporters(at, 9).await?, 0);
        assert_eq!(store.forget_reporters(at + minutes(1), 9).await?, 1);
        assert_eq!(found(store, 1).await?.reporter, None);
        assert!(found(store, 2).await?.reporter.is_some());
        assert_eq!(found(store, 1).await?.state(), ReportState::Dismissed);
    },
    async fn an_erasure_keeps_how_reports_ended(store: &S) {
        put(store, &[create("a", "acme")]).await?;
        send(store, 1, "a", None).await?;
        send(store, 2, "a", None).await?;
        let (ports, by, later) = ((store as _, store as _), by_ann(1), noon() + hours(1));
        dismiss_report(ports, report_id(1), "No.", &by, later).await?;
        let id = posting(store, "a").await?.id;
        let all = (store as _, store as _, store as _);
        let at = later + hours(1);
        assert_eq!(
            erase(all, &identifier("a"), "A request.", Ground::Law, &by, at).await,
            Ok(true)
        );
        for (n, state, sentence) in [
            (1, ReportState::Dismissed, "No."),
            (2, ReportState::Acted, "A request."),
        ] {
            let report = found(store, n).await?;
            assert_eq!(
                (report.state(), &*report.statement, report.url),
                (state, "", None)
            );
            assert_eq!(report.decision.ok_or(Absent)?.sentence, sentence);
        }
        let statement = Statement {
            posting: id,
            at,
            outcome: DecisionOutcome::Removed,
            ground: Ground::Law,
            code: DecisionCode::OPERATOR,
            by_notice: true,
            objection: None,
        };
        assert_eq!(store.statements(noon(), None, 9).await?, [statement]);
        let told: Vec<_> = events(store)
            .await?
            .into_iter()
            .map(|event| event.name)
            .collect();
        assert_eq!(told, [REPORT_DECIDED, JOB_POSTING_ERASED, REPORT_DECIDED]);
        assert!(send(store, 3, "a", None).await.is_err());
    },
    async fn an_objection_waits_for_its_answer(store: &S) {
        put(store, &[create("a", "acme")]).await?;
        change(store, "a", |posting| {
            posting.put_in(state(Status::Approved), None);
        })
        .await?;
        let (by, at) = (by_ann(1), noon() + hours(1));
        let early = objected(store, at).await;
        assert!(early.is_err(), "{early:?}");
        let name = identifier("a");
        crate::usecase::moderate(store, &name, &reject(), None, &by, lifetime(), at).await?;
        objected(store, at + hours(1)).await?;
        let client = kernel::ClientId::new(uuid(1));
        let again = object((store, store), &name, "Again.", client, at).await;
        assert_eq!(again, Err(Refused::Repeated.into()));
        let waiting = store.waiting_objections(9).await?;
        let waiting: Vec<_> = waiting
            .iter()
            .map(|it| (&it.source_identifier, it.at))
            .collect();
        assert_eq!(waiting, [(&name, at + hours(1))]);
        let statements = store.statements(noon(), None, 9).await?;
        assert_eq!(statements.len(), 1);
        assert_eq!(statements[0].objection, Some(ObjectionState::Waiting));

        let (ports, end) = ((store as _, store as _), at + hours(2));
        let answer = ObjectionAnswer {
            reverses: true,
            sentence: "A mistake.".to_owned(),
        };
        let answered = answer_objection(ports, &name, &answer, None, &by, lifetime(), end).await?;
        assert_eq!(answered.status(), Status::Approved);
        let expect = Objection {
            at: at + hours(1),
            against: at,
            statement: "It is \"no\" fraud.".to_owned(),
            state: ObjectionState::Reversed,
            sentence: Some("A mistake.".to_owned()),
        };
        let decision = view(store, "a").await?.decision.ok_or(Absent)?;
        assert_eq!(decision.outcome, DecisionOutcome::Approved);
        assert_eq!(decision.objection, Some(expect));
        assert_eq!(store.waiting_objections(9).await?, []);
        let reversed = store.statements(noon(), None, 9).await?;
        assert_eq!(reversed.len(), 1);
        assert_eq!(reversed[0].objection, Some(ObjectionState::Reversed));
        let after = Some((reversed[0].at, reversed[0].posting));
        assert_eq!(store.statements(noon(), after, 9).await?, []);
        assert_eq!(store.statements(at + minutes(1), None, 9).await?, []);
    },
    async fn a_report_that_does_not_wait_is_not_decided(store: &S) {
        put(store, &[create("a", "acme")]).await?;
        send(store, 1, "a", Some("ann@r.example")).await?;
        let report = found(store, 1).await?;
        let (ports, at) = ((store as _, store as _), noon() + hours(1));
        let mut same = WriteSet::new(at);
        let again = Report {
            id: report_id(2),
            ..report.clone()
        };
        same.optional
            .reports
            .push(crate::report::ReportWrite::New(again));
        assert_eq!(store.commit(same).await, Err(StoreError::Conflict));
        dismiss_report(ports, report_id(1), "No.", &by_ann(1), at).await?;
        let mut late = WriteSet::new(at);
        late.optional
            .reports
            .push(crate::report::ReportWrite::Decided(found(store, 1).await?));
        assert_eq!(store.commit(late).await, Err(StoreError::Conflict));
    },
);
