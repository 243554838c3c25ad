//! Helpers that look at PostgreSQL's query plans.

use diesel::{QueryableByName, sql_query, sql_types::Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};

use domain::store::Store as _;

use super::{create, fixture};

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text, column_name = "QUERY PLAN")]
    line: String,
}

/// The generic plan of a query. The tables are empty, so sequential scans are disabled. `types` are
/// those parameter types that PostgreSQL cannot infer.
pub(crate) async fn plan(query: impl AsRef<str>, types: &str) -> String {
    let (_database, store) = fixture().await;
    let mut conn = store.connections.get().await.unwrap();
    // So that the plan does not depend on the store's settings.
    conn.batch_execute("SET enable_seqscan = off")
        .await
        .unwrap();
    explain(&mut conn, query.as_ref(), types).await
}

/// The plan of a query on tables that look as if they had millions of rows, with the store's
/// settings.
pub(crate) async fn plan_of_millions(query: impl AsRef<str>) -> String {
    let (_database, store) = fixture().await;
    let mut conn = store.connections.get().await.unwrap();
    // The planner multiplies a table's pages with the rows on each. Against millions of rows the
    // start of parallel workers costs little; here it is set to nothing.
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
    explain(&mut conn, query.as_ref(), "").await
}

async fn explain(conn: &mut AsyncPgConnection, query: &str, types: &str) -> String {
    // Our statements have `?` for a parameter; diesel prints numbers, and a comment.
    let query = query.split(" -- binds").next().unwrap();
    let mut pieces = query.split('?');
    let mut prepared = pieces.next().unwrap().to_owned();
    for (n, piece) in (1..).zip(pieces) {
        prepared = format!("{prepared}${n}{piece}");
    }
    let values = vec!["NULL"; prepared.matches('$').count()].join(", ");
    let call = if values.is_empty() {
        String::new()
    } else {
        format!("({values})")
    };
    conn.batch_execute(&format!(
        "SET plan_cache_mode = force_generic_plan; PREPARE asked {types} AS {prepared}"
    ))
    .await
    .unwrap();
    let lines: Vec<Line> = sql_query(format!("EXPLAIN EXECUTE asked {call}"))
        .load(conn)
        .await
        .unwrap();
    lines.into_iter().map(|row| row.line + "\n").collect()
}

/// Checks that a plan uses an index, and has no sequential scan.
pub(crate) fn assert_uses_index(plan: &str, index: &str) {
    assert!(
        plan.contains(&format!("using {index} ")),
        "not by {index}:\n{plan}"
    );
    assert!(!plan.contains("Seq Scan"), "{plan}");
}
