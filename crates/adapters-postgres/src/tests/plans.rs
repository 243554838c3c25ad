//! Every statement as the server prepares it, and the plans of frequent ones and large tables.

use diesel::{dsl::sql, sql_types::Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};
use domain::store::Store as _;
use sql_common::{
    dialect::Dialect,
    testing::{
        plans,
        statements::{listed, named, statements},
    },
};
use tokio_postgres::NoTls;

use super::{create, fixture};

/// For each statement, words in its plan on empty tables. Words after `!` must not be in the plan.
const PLANS: &str = "
    audit::Read | using audit_newest | !Sort
    audit::ReadAction | using audit_by_action | !Sort
    audit::ReadOperator | using audit_by_operator | !Sort
    audit::ReadSubject | audit_by_subject
    sign_in::Forget | using sign_in_tokens_by_end
    sign_in::Trim | using sign_in_tokens_by_holder
    catalogue::read::Find | postings_by_catalogue | catalogues_client_id_name_key
        | (catalogue_id = catalogues.id)
    catalogue::missed::Missing | missed_postings_pkey | postings_pkey
    catalogue::read::List | postings_by_catalogue | catalogues_client_id_name_key
        | (catalogue_id = catalogues.id)
    client::Find | using clients_pkey | client_secrets_pkey
    client::activity::Days | client_days_pkey
    client::activity::Tallies | client_tallies_pkey
    client::activity::Refusals | client_refusals_pkey
    client::record::AddRefusals | using clients_pkey | audit_by_
    client::record::TrimDays | client_days_pkey
    client::record::TrimRefusals | client_refusals_pkey
    commit::LockTasks | Index Cond: (id = COALESCE | Index Cond: (id = outbox.id | using outbox_effects
    commit::HoldTasks | using outbox_pkey
    commit::EndTasks | !Nested Loop | using outbox_effects
    commit::Finish | !Nested Loop | using outbox_pkey
    commit::MakeDue | !Nested Loop
    settle::Renew | !Nested Loop
    settle::GiveBack | !Nested Loop
    list::DeadAmong | using outbox_effects
    commit::Update | using postings_pkey | Index Cond: (id = sent.id) | !Sort
    draft::Forget | using drafts_used | using drafts_pkey | !Sort
    draft::Reserve | using drafts_pkey
    claim::Claim | using outbox_due | AND (next_at <= | !Sort Key
    claim::ClaimCrashed | using outbox_leased | AND (next_at <=
    claim::HasCrashed | using outbox_leased | AND (next_at <=
    report::Same | using reports_by_reporter
    report::OfReporter | using reports_by_reporter
    report::OfPosting | using reports_by_posting
    report::CountWaiting | using reports_by_state
    report::InState | using reports_by_state | !Sort
    report::Forget | using reports_with_reporters | !Sort
    report::Statements | using statements_pkey | !Sort
    report::StatementsSince | using statements_pkey | !Sort
    report::Contested | using posting_decisions_contested | !Sort
    report::EraseTexts | reports_by_posting
    posting::load::Overdue | using postings_by_end | !Sort
    retention::DropTexts | using postings_with_old_texts | using posting_texts_pkey
        | using posting_signatures_pkey | using postings_pkey | !Sort
    retention::Delete | postings_pkey | outbox_effects | !postings_by
    subscriber::ListReported | using subscribers_email_key | !Sort
    subscriber::ListUnmigrated | using subscribers_unmigrated | !Sort
    subscriber::ListSuppressed | using subscribers_suppressed | !Sort
    subscriber::Update | using subscribers_pkey | Index Cond: (id = sent.id) | !Sort
    webhook::endpoint::List | using webhook_endpoints_pkey | !Sort
    webhook::endpoint::ListOwned | using webhook_endpoints_by_owner | !Sort
    webhook::lease::Backlog | using webhook_endpoints_pkey | using events_pkey
        | endpoint = endpoint.id
    webhook::waiting::Due | using webhook_waiting_due | !Sort
    webhook::waiting::WaitingAmong | using webhook_waiting_pkey | subject = asked.chosen
    webhook::lease::Renew | using webhook_endpoints_pkey
    webhook::lease::EndLease | using webhook_endpoints_pkey
    adapters_postgres::lease::BeginLease | using webhook_waiting_due | !hashed | !Seq Scan on webhook_waiting
    webhook::round::Held | using webhook_endpoints_pkey
    webhook::round::Settle | using webhook_waiting_pkey
    webhook::round::Wake | webhook_waiting_silent
    posting::load::ByIdentifier | postings_source_identifier_key
    posting::load::RepeatAnswers | postings_source_identifier_key
    posting::load::Whole | postings_pkey
    posting::load::Held | using postings_held | !Sort
    posting::version::Older | using posting_versions_pkey | !Sort
    posting::version::After | using posting_versions_pkey
    posting::version::Forget | using posting_versions_by_age | using posting_versions_pkey
    catalogue::missed::ChangedLast | using posting_versions_by_import
    company::ById | companies_pkey
    company::lists::List | using companies_by_key | !Sort
    company::lists::OfName | using companies_by_name | !Sort
    company::lists::Namesakes | using companies_by_name | !Sort
    company::lists::Neighbours | using companies_by_site | !Sort
    company::lists::Aliases | using companies_by_target | !Sort
    company::pairs::Similar | company_pairs_similar | companies_pkey
    company::pairs::Lookalikes | company_pairs_lookalike | companies_pkey
    duplicate::ToldApart | distinct_postings_pkey
    posting::view::History | posting_history_pkey | !Sort
";

const PLANS_OF_MILLIONS: &str = "
    console::Newest | postings_by_update on postings | !Sort
    console::NewestOfStatus | postings_by_status on postings | !Sort
    console::ByIdentifier | postings_source_identifier_key on postings | !Sort
    console::Copies | using postings_copies | !Sort
    console::OfCompany | using postings_by_company | !Sort
    company::lists::OfCompany | using postings_by_company | !Sort
    company::lists::OfAlias | using postings_by_alias | !Sort
    company::lists::ShownOfCompany | using postings_by_shown_company | !Sort
    company::lists::ShownOfAlias | using postings_by_shown_alias | !Sort
    company::lists::Counts | postings_by_company
    catalogue::read::OpenPostings | using postings_by_catalogue
        | Index Cond: ((catalogue_id = $1) AND (id > $2)) | !Sort
    duplicate::Near | using posting_signatures_in_band_1 | using posting_signatures_in_band_2
        | using posting_signatures_in_band_3 | using posting_signatures_in_band_4
    event::keep::Forget | using events_pkey
    event::keep::IsBehind | using events_pkey on events | !Seq Scan on events
    event::read::Page | using events_pkey | !Sort
    event::read::NewestOf | using events_of_companies | !Sort
    event::read::End | using events_pkey | !Sort
    event::read::CursorAt | using events_pkey | !Sort
    posting::view::Changed | using postings_by_update | !Sort
    posting::view::ChangedOfStatus | using postings_by_status | !Sort
    posting::view::ChangedCopies | using postings_copies | !Sort
    posting::view::InOrderOfIds | using postings_pkey | !Sort
";

const PLANS_OF_THOUSANDS: &str = "
    duplicate::Copies | using postings_by_original | using posting_signatures_pkey
    duplicate::Numbered | using postings_by_requisition | using posting_signatures_pkey
    report::WaitingOf | reports_by_posting
";

fn check(name: &str, expected: &[&str], plan: &str) {
    for expected in expected {
        // The name of an index may be a prefix of another name.
        let end = if expected.starts_with("using ") {
            " "
        } else {
            ""
        };
        match expected.strip_prefix('!') {
            None => {
                let is_there = plan.contains(&format!("{expected}{end}"));
                assert!(is_there, "{name} has no {expected}:\n{plan}");
            }
            Some(other) => assert!(!plan.contains(other), "{name} has {other}:\n{plan}"),
        }
    }
    let may_scan = expected.iter().any(|it| it.starts_with("!Seq Scan"));
    assert!(may_scan || !plan.contains("Seq Scan"), "{name}:\n{plan}");
    assert!(!plan.contains("Gather"), "{name}:\n{plan}");
}

#[tokio::test]
async fn statements_go_by_their_indexes() {
    let (_database, store) = fixture().await;
    let mut conn = store.connections.get().await.unwrap();
    // The outbox is often empty while statistics are taken, and has a backlog later.
    conn.batch_execute("VACUUM ANALYZE outbox").await.unwrap();
    for (name, expected) in plans(PLANS) {
        check(name, &expected, &explain(&mut conn, name).await);
    }
    // The planner multiplies a table's pages by rows per page. With millions of rows, the cost of
    // starting parallel workers would not matter, so here it is set to 0.
    store.commit(create(1)).await.unwrap();
    conn.batch_execute(
        "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; \
         INSERT INTO events (commit_seq, at, name, subject) \
         VALUES (1, now(), 'a', gen_random_uuid()); \
         ALTER TABLE postings SET (parallel_workers = 2); \
         ALTER TABLE events SET (parallel_workers = 2); \
         UPDATE pg_class SET reltuples = 5e6, relpages = 1 \
         WHERE relname IN ('postings', 'events', 'posting_signatures')",
    )
    .await
    .unwrap();
    for (name, expected) in plans(PLANS_OF_MILLIONS) {
        let explained = explain(&mut conn, name).await;
        check(name, &expected, &explained);
        if name.starts_with("event::read") {
            let looks = explained.matches("using events_").count();
            let others = explained.matches("Index Cond: (singleton").count();
            let conditions = explained.matches("Index Cond: (").count();
            assert_eq!(conditions, looks + others, "{explained}");
        }
    }
}

#[tokio::test]
async fn duplicates_and_reports_are_found_by_their_indexes() {
    let (_database, store) = fixture().await;
    store.commit(create(1)).await.unwrap();
    let mut conn = store.connections.get().await.unwrap();
    conn.batch_execute(
        "CREATE TEMP TABLE copies AS SELECT postings.* FROM postings, generate_series(1, 2000); \
         UPDATE copies SET id = gen_random_uuid(), source_identifier = gen_random_uuid()::text, \
             duplicate_of = gen_random_uuid(), requisition_id = gen_random_uuid()::text; \
         INSERT INTO postings SELECT * FROM copies; \
         INSERT INTO posting_signatures SELECT id, 1, 2, 3, 4, '\\x00', now() FROM copies; \
         INSERT INTO reports (id, posting_id, source_identifier, reason, statement, at, state) \
             SELECT id, id, '', 'other', '', now(), 'waiting' FROM copies; \
         ANALYZE postings, posting_signatures, reports",
    )
    .await
    .unwrap();
    for (name, expected) in plans(PLANS_OF_THOUSANDS) {
        check(name, &expected, &explain(&mut conn, name).await);
    }
}

fn numbered(text: &str) -> String {
    let mut pieces = text.split('?');
    let first = pieces.next().unwrap_or_default().to_owned();
    (1..)
        .zip(pieces)
        .fold(first, |text, (n, piece)| format!("{text}${n}{piece}"))
}

/// Prepares a statement unchanged, under the name `asked`.
async fn prepare(conn: &mut AsyncPgConnection, text: &str) -> diesel::QueryResult<()> {
    let prepare = format!("DEALLOCATE ALL; PREPARE asked AS {}", numbered(text));
    conn.batch_execute(&prepare).await
}

async fn explain(conn: &mut AsyncPgConnection, name: &str) -> String {
    let text = named(Dialect::Postgres, name);
    prepare(conn, &text).await.unwrap();
    execution(conn, &text).await
}

async fn execution(conn: &mut AsyncPgConnection, text: &str) -> String {
    let values = vec!["NULL"; text.matches('?').count()].join(", ");
    let call = if values.is_empty() {
        String::new()
    } else {
        format!("({values})")
    };
    let explain = format!("EXPLAIN EXECUTE asked {call}");
    let lines: Vec<String> = sql::<Text>(&explain).load(conn).await.unwrap();
    lines.join("\n")
}

/// Statements that read a whole table. The table is small, or the query is rare and has no index.
const READS_ALL: [&str; 11] = [
    "attention::Clear",
    "attention::Items",
    "attention::LastCheck",
    "catalogue::missed::Forget",
    "client::List",
    "event::keep::IsBehind",
    "event::keep::Raise",
    "adapters_postgres::lease::BeginLease",
    "migrations::Needs",
    "retention::Erase",
    "subscriber::Count",
];

/// Each statement works in psql without types for values. No statement reads a whole table, even if
/// prepared while the table was empty. With `--nocapture`, this prints all statements.
#[tokio::test]
async fn every_statement_can_be_prepared() {
    let (_database, store) = fixture().await;
    let mut conn = store.connections.get().await.unwrap();
    let (mut refused, mut slow) = (Vec::new(), Vec::new());
    let mut prepared = 0;
    listed().for_each(|it| println!("{}", it.text(Dialect::Postgres)));
    for (name, text) in statements(Dialect::Postgres) {
        let text = text.trim_start();
        if text.starts_with("LOCK") || text == "COMMIT" {
            continue;
        }
        match prepare(&mut conn, text).await {
            Ok(()) => prepared += 1,
            Err(error) => {
                refused.push(format!("{name}: {error}"));
                continue;
            }
        }
        if READS_ALL.iter().any(|it| name.ends_with(it)) {
            continue;
        }
        let plan = execution(&mut conn, text).await;
        for line in plan.lines().filter(|line| line.contains("Seq Scan on ")) {
            slow.push(format!("{name}: {}", line.trim()));
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(prepared > 150, "{prepared}");
    assert!(slow.is_empty(), "{}", slow.join("\n"));
}

/// The server's name of a declared SQL type.
fn described(declared: &str) -> String {
    match declared {
        "BigInt" => "int8",
        "Binary" => "bytea",
        "Count" | "Integer" => "int4",
        "Day" => "date",
        "Double" => "float8",
        "Id" => "uuid",
        "Moment" => "timestamptz",
        "TextList" => "_text",
        other => return other.to_lowercase(),
    }
    .to_owned()
}

#[tokio::test]
async fn rows_have_the_types_that_the_server_describes() {
    let (database, _store) = fixture().await;
    let url = database.text_url();
    let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
    let connection = tokio::spawn(connection);
    let (mut compared, mut wrong) = (0, Vec::new());
    for statement in listed() {
        let text = numbered(&(statement.texts)().of(Dialect::Postgres).with_marks());
        let is_read = !text.is_empty() && !text.contains("must_hold(");
        let Some(declared) = statement.row().filter(|_| is_read) else {
            continue;
        };
        let declared: Vec<_> = declared.into_iter().map(described).collect();
        let prepared = client.prepare(&text).await.unwrap();
        let columns = prepared.columns().iter();
        // A document is read as text.
        let columns = columns.map(|it| match it.type_().name() {
            "json" | "varchar" => "text".to_owned(),
            name => name.to_owned(),
        });
        let columns: Vec<_> = columns.collect();
        if columns != declared {
            wrong.push(format!("{}: {columns:?}, not {declared:?}", statement.name));
        }
        compared += 1;
    }
    connection.abort();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(compared > 100, "{compared}");
}
