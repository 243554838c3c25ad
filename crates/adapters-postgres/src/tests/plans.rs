//! How PostgreSQL goes about a query.

use diesel::{QueryableByName, sql_query, sql_types::Text};
use diesel_async::{AsyncPgConnection, RunQueryDsl, SimpleAsyncConnection};

use domain::store::Store as _;

use super::{create, fixture};

#[derive(QueryableByName)]
struct Line {
    #[diesel(sql_type = Text, column_name = "QUERY PLAN")]
    line: String,
}

/// The plan of a query that is prepared once for any values. The tables are empty, and reading
/// them from end to end would be quickest, so that is ruled out. `types` are those of the values,
/// as far as PostgreSQL cannot tell.
pub(crate) async fn plan(query: &str, types: &str) -> String {
    let (_database, store) = fixture().await;
    let mut conn = store.connections.get().await.unwrap();
    // The plan is the same whatever the settings of the store's connections are.
    conn.batch_execute("SET enable_seqscan = off")
        .await
        .unwrap();
    explain(&mut conn, query, types).await
}

/// The plan on tables that seem to have millions of rows, with the settings of the store.
pub(crate) async fn plan_of_millions(query: &str) -> String {
    let (_database, store) = fixture().await;
    let mut conn = store.connections.get().await.unwrap();
    // The server counts the pages of a table, and takes the rows on each from its statistics. What
    // it costs to start workers is little against millions of rows, and nothing here.
    store.commit(create(1)).await.unwrap();
    conn.batch_execute(
        "SET parallel_setup_cost = 0; SET parallel_tuple_cost = 0; \
         ALTER TABLE postings SET (parallel_workers = 2); \
         UPDATE pg_class SET reltuples = 5e6, relpages = 1 WHERE relname = 'postings'",
    )
    .await
    .unwrap();
    explain(&mut conn, query, "").await
}

async fn explain(conn: &mut AsyncPgConnection, query: &str, types: &str) -> String {
    // Ours have `?` for a value; those that diesel prints have numbers, and a comment.
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

/// Checks that a plan goes by an index, and from end to end through no table.
pub(crate) fn goes_by(plan: &str, index: &str) {
    assert!(
        plan.contains(&format!("using {index} ")),
        "not by {index}:\n{plan}"
    );
    assert!(!plan.contains("Seq Scan"), "{plan}");
}
