//! Every statement as SQLite prepares it, with the plans of statements that are frequent or read
//! large tables. Plans are made without statistics, as in a file that was never analysed.

use diesel::{
    RunQueryDsl, SqliteConnection,
    dsl::sql,
    sql_types::{Integer, Text},
};
use sql_common::{
    dialect::Dialect,
    testing::{
        plans,
        statements::{listed, named, statements},
    },
};

use super::fixture;
use crate::connection::Role;

/// Plans that follow an index in its order, and scan no other table.
const IN_ORDER: &str = "
    audit::Read | INDEX audit_newest
    audit::ReadAction | INDEX audit_by_action
    audit::ReadOperator | INDEX audit_by_operator
    audit::ReadSubject | INDEX audit_by_subject
    catalogue::read::OpenPostings | postings_by_catalogue (catalogue_id=? AND id>?)
    catalogue::missed::Missing | missed USING PRIMARY KEY (import=? AND posting_id>?)
    catalogue::read::Find
        | SEARCH catalogues USING INDEX sqlite_autoindex_catalogues_2 (client_id=?
        | SEARCH postings USING INDEX postings_by_catalogue (catalogue_id=?)
    catalogue::read::List
        | SEARCH catalogues USING INDEX sqlite_autoindex_catalogues_2 (client_id=?
        | SEARCH postings USING INDEX postings_by_catalogue (catalogue_id=?)
    client::activity::Days | USING PRIMARY KEY (client_id=?
    client::activity::Refusals | USING PRIMARY KEY (client_id=?
    console::Newest | INDEX postings_by_update
    console::NewestOfStatus | INDEX postings_by_status
    console::Copies | INDEX postings_copies
    console::OfCompany | INDEX postings_by_company (company_id=? AND id<?)
    company::lists::List | INDEX companies_by_key (
    company::lists::OfName | INDEX companies_by_name (name_key>? AND name_key<?)
    company::lists::Namesakes | INDEX companies_by_name (name_key=?)
    company::lists::Neighbours | INDEX companies_by_site (site=?)
    company::lists::Aliases | INDEX companies_by_target (alias_of=?)
    company::lists::OfCompany | INDEX postings_by_company (company_id=? AND id>?)
    company::lists::OfAlias | INDEX postings_by_alias (came_by=? AND id>?)
    company::lists::ShownOfCompany | INDEX postings_by_shown_company (<expr>=? AND id>?)
    company::lists::ShownOfAlias | INDEX postings_by_shown_alias (<expr>=? AND id>?)
    company::pairs::Similar | INDEX company_pairs_similar
    company::pairs::Lookalikes | INDEX company_pairs_lookalike
    console::ByIdentifier
        | INDEX sqlite_autoindex_postings_2 (source_identifier>? AND source_identifier<?)
    adapters_sqlite::draft::Find | INDEX sqlite_autoindex_drafts_1
    draft::Forget | INDEX drafts_used
    duplicate::Copies | INDEX postings_by_original (duplicate_of=? AND id>?)
    claim::Due | INDEX outbox_due
    claim::Crashed | INDEX outbox_leased
    posting::load::Overdue | INDEX postings_by_end
    posting::view::Changed | INDEX postings_by_update
    posting::view::ChangedOfStatus | INDEX postings_by_status
    posting::view::ChangedCopies | INDEX postings_copies
    posting::view::InOrderOfIds | INDEX sqlite_autoindex_postings_1
    report::InState | INDEX reports_by_state (state=? AND (at,id)>
    report::Statements | SEARCH statements USING PRIMARY KEY ((at,posting_id)>
    report::StatementsSince | SEARCH statements USING PRIMARY KEY (at>?)
    report::Contested | INDEX posting_decisions_contested
    subscriber::ListReported | INDEX sqlite_autoindex_subscribers_2
    subscriber::ListUnmigrated | INDEX subscribers_unmigrated
    subscriber::ListSuppressed | INDEX subscribers_suppressed
    webhook::endpoint::List | INDEX sqlite_autoindex_webhook_endpoints_1
    webhook::endpoint::ListOwned | INDEX webhook_endpoints_by_owner
    webhook::lease::Backlog | SCAN endpoint USING INDEX sqlite_autoindex_webhook_endpoints_1
        | SEARCH waiting USING PRIMARY KEY (endpoint=?)
        | SEARCH events USING INTEGER PRIMARY KEY (rowid>?)
    webhook::waiting::Due | INDEX webhook_waiting_due
    webhook::waiting::WaitingAmong | SEARCH webhook_waiting USING PRIMARY KEY (endpoint=? AND subject=?)
    webhook::round::Settle | SEARCH webhook_waiting USING PRIMARY KEY (endpoint=? AND subject=?)
    webhook::round::Wake | INDEX webhook_waiting_silent
";

/// Plans that find rows by key, and may sort them.
const BY_KEY: &str = "
    console::CountStatus | COVERING INDEX postings_by_status
    client::Find | (id=?) | (client_id=?)
    client::record::AddRefusals | INDEX audit_by_subject (subject=? AND at>?)
    client::record::TrimDays | USING PRIMARY KEY (client_id=?
    client::record::TrimRefusals | USING PRIMARY KEY (client_id=?
    duplicate::Numbered | INDEX postings_by_requisition (
    company::lists::Counts | INDEX postings_by_company (company_id=?)
    duplicate::Near | INDEX posting_signatures_in_band_1 ( | INDEX posting_signatures_in_band_2 (
        | INDEX posting_signatures_in_band_3 ( | INDEX posting_signatures_in_band_4 (
    event::Around | SEARCH events USING INTEGER PRIMARY KEY
    event::Wanted | SEARCH events USING INTEGER PRIMARY KEY
    event::FirstAfter | SEARCH events USING INTEGER PRIMARY KEY
    event::LastBefore | SEARCH events USING INTEGER PRIMARY KEY
    adapters_sqlite::event::Delete | SEARCH events USING INTEGER PRIMARY KEY
    retention::OldTexts | INDEX postings_with_old_texts (
    retention::DropTexts | INDEX postings_with_old_texts (
    retention::DropSketches | INDEX postings_with_old_texts (
    retention::Clear | INDEX postings_with_old_texts (
    report::Same | INDEX reports_by_reporter (reporter_email=? AND posting_id=?)
    report::OfReporter | INDEX reports_by_reporter (reporter_email=?)
    report::OfPosting | COVERING INDEX reports_by_posting (posting_id=? AND state=?)
    report::CountWaiting | COVERING INDEX reports_by_state (state=?)
    report::WaitingOf | INDEX reports_by_posting (posting_id=? AND state=?)
    report::Forget | INDEX reports_with_reporters (
    report::EraseTexts | INDEX reports_by_posting (posting_id=?)
    sign_in::Forget | sign_in_tokens_by_end
    sign_in::Trim | sign_in_tokens_by_holder
    webhook::endpoint::Hurry | INDEX webhook_waiting_due
    adapters_sqlite::lease::MayBeLeased
        | SEARCH waiting USING COVERING INDEX webhook_waiting_due (endpoint=?
    posting::view::History | posting_history
    posting::load::Held | INDEX postings_held (
    posting::version::Older | SEARCH posting_versions USING
    posting::version::Forget | INDEX posting_versions_by_age
    catalogue::missed::ChangedLast | INDEX posting_versions_by_import (
";

fn explain(conn: &mut SqliteConnection, text: &str) -> diesel::QueryResult<String> {
    let explain = sql::<(Integer, Integer, Integer, Text)>(&format!("EXPLAIN QUERY PLAN {text}"));
    let steps: Vec<(i32, i32, i32, String)> = explain.load(conn)?;
    Ok(steps
        .into_iter()
        .map(|(.., detail)| detail + "\n")
        .collect())
}

#[tokio::test]
async fn statements_go_by_their_indexes() {
    let (_dir, store) = fixture().await;
    let mut conn = store.connections.connect(Role::Reader).unwrap();
    let in_order = plans(IN_ORDER).into_iter().map(|plan| (plan, true));
    let by_key = plans(BY_KEY).into_iter().map(|plan| (plan, false));
    for ((name, expected), is_in_order) in in_order.chain(by_key) {
        let plan = explain(&mut conn, &named(Dialect::Sqlite, name)).unwrap();
        for expected in &expected {
            assert!(plan.contains(expected), "{name} has no {expected}:\n{plan}");
        }
        for large in ["postings", "posting_signatures", "events", "clients"] {
            let scan = format!("SCAN {large}\n");
            assert!(!plan.contains(&scan), "{name}:\n{plan}");
        }
        if is_in_order {
            assert!(
                !plan.contains("TEMP B-TREE FOR ORDER BY"),
                "{name}:\n{plan}"
            );
            let mut scans = plan.lines().filter(|step| step.starts_with("SCAN"));
            let is_fine = |step: &str| {
                let of_values = step.starts_with("SCAN (") || step.ends_with(" ROW");
                of_values || expected.iter().any(|it| step.contains(it))
            };
            assert!(scans.all(is_fine), "{name}:\n{plan}");
        }
    }
}

/// Each statement runs in `sqlite3`. With `--nocapture`, this prints all statements.
#[tokio::test]
async fn every_statement_can_be_prepared() {
    let (_dir, store) = fixture().await;
    let mut conn = store.connections.connect(Role::Writer).unwrap();
    let mut refused = Vec::new();
    let mut prepared = 0;
    listed().for_each(|it| println!("{}", it.text(Dialect::Sqlite)));
    for (name, text) in statements(Dialect::Sqlite) {
        match explain(&mut conn, &text) {
            Ok(_) => prepared += 1,
            Err(error) => refused.push(format!("{name}: {error}")),
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
    assert!(prepared > 150, "{prepared}");
}
