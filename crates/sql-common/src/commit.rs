//! A commit writes everything that a decision requires, in one transaction.
//!
//! Both stores run the same statements in the same order. PostgreSQL gets them without waiting for
//! each answer ([`Pipeline`](crate::executor::Pipeline)). So a statement itself checks that nothing
//! has changed since the decision: it writes `every` row, or finds all rows still `held`.
//!
//! Rows are locked in this order: leases, existing postings by id, companies by id, new postings by
//! identifier, tasks. An insert waits for a transaction that changes a posting with the same
//! identifier, so inserts come before updates. Events come last, when all rows are locked: only
//! then are the events' places in the log and the states of their companies known.

use std::borrow::Cow;

use domain::store::{PostingWrite, WriteSet};
use kernel::{
    event::{Event, Subject},
    outbox::{Effect, TaskWrites},
};

use crate::{
    audit, binds, catalogue,
    company::{self, Merged},
    duplicate, each,
    entity::row,
    event::EventRow,
    executor::{Executor, Outcome},
    outbox::{EffectAsked, each_effect, effects_of, give_up},
    posting::{
        HistoryRow, PostingRow, TextsRow, VersionSent, history_of, trim_histories, write_decisions,
    },
    report, statement,
};

pub async fn write(conn: &mut impl Executor, writes: &WriteSet) -> Outcome<()> {
    catalogue::hold(conn, writes).await?;
    lock(conn, writes).await?;
    let merged = company::merge(conn, writes).await?;
    write_postings(conn, writes).await?;
    trim_histories(conn, writes).await?;
    write_decisions(conn, writes).await?;
    duplicate::write(conn, &writes.optional.fingerprints).await?;
    duplicate::tell_apart(conn, &writes.optional.told_apart).await?;
    company::write_pairs(conn, writes).await?;
    report::write(conn, &writes.optional.reports).await?;
    write_tasks(conn, &writes.tasks, &merged).await
}

statement! {
    /// `FOR UPDATE` would block inserts of rows that refer to these postings.
    LockPostings = {
        postgres: "SELECT FROM postings WHERE id = ANY(:id) ORDER BY id FOR NO KEY UPDATE",
        sqlite: "",
    };

    Stand = held r"
        SELECT postings.id FROM {given id uuid, version bigint}
        JOIN postings ON postings.id = sent.id AND postings.version = sent.version"
}

/// Locks a commit's postings, including those that only have events or effects. So a posting's
/// tasks are numbered in the order of commits.
///
/// No lock is needed if the commit cannot wait for a posting while it holds locks. Such a commit
/// only adds postings, or changes a single posting and no company.
async fn lock(conn: &mut impl Executor, writes: &WriteSet) -> Outcome<()> {
    let concerned = writes.concerned();
    let is_single = concerned.len() == 1 && writes.postings.keys().eq(&concerned);
    if !(is_single && writes.companies.is_empty()) {
        let ids = each! { concerned, id => id: id.uuid() };
        conn.lock_each::<LockPostings>(&ids).await?;
    }
    let standing = &writes.optional.standing;
    let standing = each! { standing, (id, version) => id: id.uuid(), version: *version };
    conn.hold_each::<Stand>(&standing).await
}

statement! {
    Insert = every "INSERT INTO postings ({postings}) {postings rows} ON CONFLICT DO NOTHING",
    over [PostingRow];

    /// An unchanged description is neither sent nor stored again: if the row keeps its reference,
    /// PostgreSQL keeps the value that it stores outside the row.
    Update = every "{postings update}",
    over [PostingRow];

    WriteTexts = r"
        INSERT INTO posting_texts ({posting_texts}) {posting_texts rows}
        ON CONFLICT (posting_id) DO UPDATE SET {posting_texts.changing = excluded}",
    over [TextsRow];

    AddHistory = "INSERT INTO posting_history ({posting_history}) {posting_history rows}",
    over [HistoryRow];

    /// For changes of neither description nor texts, which are the most frequent. Reads no table.
    AddVersions = r"
        INSERT INTO posting_versions (posting_id, version, at, actor, import, before)
        SELECT sent.posting_id, sent.version, sent.at, sent.actor, sent.import,
            sent.before{postgres ::json}
        FROM {posting_versions given}",
    over [VersionSent];

    AddVersionsWithTexts = r"
        INSERT INTO posting_versions (posting_id, version, at, actor, import, before,
            raw_description, markdown, redacted_markdown, redacted_title, latitude, longitude,
            findings)
        SELECT sent.posting_id, sent.version, sent.at, sent.actor, sent.import,
            sent.before{postgres ::json},
            CASE WHEN sent.has_description THEN raw_description END,
            markdown, redacted_markdown, redacted_title, latitude, longitude, findings
        FROM {posting_versions given} JOIN postings ON postings.id = sent.posting_id
        LEFT JOIN posting_texts
            ON sent.has_texts AND posting_texts.posting_id = sent.posting_id",
    over [VersionSent]
}

/// Writes postings with their texts. A wrong version or a taken identifier is a conflict.
async fn write_postings(conn: &mut impl Executor, writes: &WriteSet) -> Outcome<()> {
    let postings = || writes.postings.values();
    let (old, mut new): (Vec<&PostingWrite>, Vec<_>) =
        postings().partition(|write| write.expected.is_some());
    new.sort_unstable_by_key(|write| &write.posting.source_identifier);
    let new: Vec<_> = new.into_iter().map(row::<PostingRow>).collect();
    let old = old.into_iter().map(|write| {
        let mut values = row::<PostingRow>(write);
        values.extend(binds! { expected: write.expected });
        values
    });
    let old: Vec<_> = old.collect();
    let replacing = postings().filter(|write| write.replaced.is_some());
    let (of_texts, of_others): (Vec<_>, Vec<_>) = replacing.partition(|it| {
        let replaced = it.replaced.as_ref();
        replaced.is_some_and(|it| it.has_description() || it.has_texts())
    });
    let of_texts: Vec<_> = of_texts.into_iter().map(row::<VersionSent>).collect();
    let of_others: Vec<_> = of_others.into_iter().map(row::<VersionSent>).collect();
    let enriched = postings().filter(|write| write.enriched.is_some());
    let texts: Vec<_> = enriched.map(row::<TextsRow>).collect();
    let history: Vec<_> = postings().flat_map(history_of).collect();
    let history: Vec<_> = history.iter().map(row::<HistoryRow>).collect();
    conn.execute_every::<Insert>(&new, &[]).await?;
    conn.execute_each::<AddVersions>(&of_others, &[]).await?;
    conn.execute_each::<AddVersionsWithTexts>(&of_texts, &[])
        .await?;
    conn.execute_every::<Update>(&old, &[]).await?;
    conn.execute_each::<WriteTexts>(&texts, &[]).await?;
    conn.execute_each::<AddHistory>(&history, &[]).await?;
    Ok(())
}

// A plan made while the outbox is empty may run with a backlog until the next vacuum. A join with
// the sent rows would then read the whole outbox for each row. A condition on an array would read
// the outbox once. A scalar or lateral subquery always uses an index.

statement! {
    /// Locks settled tasks and tasks of effects together, because both will be written.
    LockTasks = {
        postgres: r"
            SELECT FROM (
                SELECT task.id FROM {given id bigint, kind text, subject uuid}
                CROSS JOIN LATERAL (
                    SELECT id, kind, subject FROM outbox WHERE id = coalesce(sent.id,
                        (SELECT same.id FROM outbox AS same
                        WHERE same.kind = sent.kind AND same.subject = sent.subject))
                    OFFSET 0) AS task
                ORDER BY task.kind, task.subject, task.id
            ) AS meant
            CROSS JOIN LATERAL (SELECT FROM outbox WHERE id = meant.id FOR UPDATE) AS task",
        sqlite: "",
    };

    HoldTasks = held r"
        SELECT sent.id FROM {given id bigint, lease uuid}
        WHERE sent.lease = (SELECT task.lease FROM outbox AS task WHERE task.id = sent.id)";

    EndTasks = {
        postgres: r"
            DELETE FROM outbox WHERE id = ANY(ARRAY(
                SELECT (SELECT task.id FROM outbox AS task
                    WHERE task.kind = sent.kind AND task.subject = sent.subject)
                FROM {given kind text, subject uuid}))",
        sqlite: "DELETE FROM outbox WHERE kind = :kind AND subject = :subject",
    };

    /// A waiting task keeps its due time, and a leased task its lease. A dead task starts again. A
    /// task moves to the lane of its latest request; only a dead task moves to a bulk lane.
    Ask = r"
        INSERT INTO outbox ({outbox}) {outbox rows}
        ON CONFLICT (kind, subject) DO UPDATE SET
            lane = CASE WHEN outbox.dead_at IS NULL AND excluded.lane LIKE '%-bulk'
                THEN outbox.lane ELSE excluded.lane END,
            generation = outbox.generation + 1,
            next_at = CASE WHEN outbox.dead_at IS NULL
                THEN outbox.next_at ELSE excluded.next_at END,
            attempts = CASE WHEN outbox.dead_at IS NULL THEN outbox.attempts ELSE 0 END,
            first_failed_at = CASE WHEN outbox.dead_at IS NULL THEN outbox.first_failed_at END,
            last_error = CASE WHEN outbox.dead_at IS NULL THEN outbox.last_error END,
            dead_at = NULL, trace_parent = excluded.trace_parent",
    over [EffectAsked];

    Finish = {
        postgres: r"
            DELETE FROM outbox WHERE id = ANY(ARRAY(
                SELECT sent.id FROM {given id bigint, generation bigint} WHERE sent.generation
                    = (SELECT task.generation FROM outbox AS task WHERE task.id = sent.id)))",
        sqlite: "DELETE FROM outbox WHERE id = :id AND generation = :generation",
    };

    /// A task that [`Finish`] left was requested again after its claim. It becomes due, and its
    /// attempts are reset.
    MakeDue = r"
        UPDATE outbox SET lease = NULL, lost = 0, next_at = :at, attempts = 0,
            first_failed_at = NULL, last_error = NULL
        WHERE id = {each id}";

    /// Events get numbers in the order in which they are sent.
    Record = {
        postgres: r"
            INSERT INTO events (commit_seq, {events})
            SELECT (SELECT event_place() + transaction_offset FROM event_log WHERE singleton), sent.*
            FROM ({events rows}) AS sent",
        sqlite: "INSERT INTO events ({events}) {events rows}",
    },
    over [EventRow]
}

/// Writes effects and events, settles tasks, and adds audit entries. A lost lease is a conflict.
///
/// Tasks are finished last. So a task that requests itself becomes due again.
pub async fn write_tasks(
    conn: &mut impl Executor,
    tasks: &TaskWrites,
    merged: &Merged,
) -> Outcome<()> {
    if tasks.settles_tasks() {
        let settled = tasks.tokens().map(|it| (Some(it.task.0), None));
        let effects = tasks.asked().chain(tasks.ended.iter().copied());
        let asked = effects.map(|effect| (None, Some(effect)));
        let rows = each! { settled.chain(asked), (id, effect) =>
            id: id,
            kind: effect.map(|it: Effect| it.kind().as_str()),
            subject: effect.map(Effect::key),
        };
        conn.lock_each::<LockTasks>(&rows).await?;
        let leases = each! { tasks.tokens(), it => id: it.task.0, lease: it.lease };
        conn.hold_each::<HoldTasks>(&leases).await?;
    }
    let ended = each_effect(&tasks.ended);
    conn.execute_each::<EndTasks>(&ended, &[]).await?;
    let effects: Vec<_> = effects_of(tasks).collect();
    let effects: Vec<_> = effects.iter().map(row::<EffectAsked>).collect();
    conn.execute_each::<Ask>(&effects, &[]).await?;
    let done = each! { &tasks.done, it => id: it.task.0, generation: it.generation };
    conn.execute_each::<Finish>(&done, &[]).await?;
    conn.execute_each::<MakeDue>(&done, binds! { at: tasks.at })
        .await?;
    for (token, error) in &tasks.given_up {
        give_up(conn, *token, error, tasks.at).await?;
    }
    let events: Vec<_> = tasks
        .events
        .iter()
        .filter_map(|it| as_committed(it, merged))
        .collect();
    let events: Vec<_> = events.iter().map(|it| row::<EventRow>(it)).collect();
    conn.execute_each::<Record>(&events, &[]).await?;
    audit::write(conn, &tasks.audit).await
}

/// An event with its company's state after the commit. `None` if the company did not change.
fn as_committed<'a>(event: &'a Event, merged: &Merged) -> Option<Cow<'a, Event>> {
    let after = match &event.subject {
        Subject::Company(company) => merged.get(&company.id),
        _ => None,
    };
    let Some(after) = after else {
        return Some(Cow::Borrowed(event));
    };
    let mut event = event.clone();
    event.subject = Subject::Company(after.clone()?);
    Some(Cow::Owned(event))
}
