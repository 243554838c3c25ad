-- Writes everything that a commit of postings adds and changes, in one statement, which alone is a
-- transaction. Every column of every kind of row travels as one array, so a commit of any size has
-- the same text; arrays without rows are empty. Braces stand for the columns of a table, see
-- `sql_common::sql::expand`.
--
-- PostgreSQL runs these CTEs in no fixed order. `(SELECT count(*) FROM x) >= 0` makes one run after
-- `x`, and is evaluated once, even if no rows follow. Locks come first; companies before the
-- postings that refer to them; new postings, by identifier, before existing ones (an insert waits
-- for a transaction that changes a posting of the same identifier); and the outbox last, so that
-- outbox rows of a posting are numbered in the order of its commits.
WITH
-- The lock timeout for rows from here on. Table locks, which are taken before, go by the session's.
lock_timeout AS MATERIALIZED (
    SELECT set_config('lock_timeout', ?, true)
),
-- `FOR UPDATE` would also keep others from inserting rows that refer to these. A commit that had to
-- wait here finds changed versions.
locked AS MATERIALIZED (
    SELECT id FROM postings
    WHERE (SELECT count(*) FROM lock_timeout) >= 0 AND id = ANY(?)
    ORDER BY id FOR NO KEY UPDATE
),
-- Which fields of a company to set is no column of the table, so the update looks it up among the
-- rows that were sent.
companies_sent AS MATERIALIZED (
    SELECT * FROM unnest(?, ?, ?, ?, ?, ?, ?)
        AS sent (id, name, website, logo_path, at, sets_name, sets_logo_path)
),
companies_written AS (
    INSERT INTO companies (id, name, website, logo_path, created_at, updated_at)
    SELECT id, name, website, logo_path, at, at FROM companies_sent
    WHERE (SELECT count(*) FROM locked) >= 0
    ON CONFLICT (id) DO UPDATE SET
        name = CASE WHEN excluded.id IN (SELECT id FROM companies_sent WHERE sets_name)
            THEN excluded.name ELSE companies.name END,
        logo_path = CASE WHEN excluded.id IN (SELECT id FROM companies_sent WHERE sets_logo_path)
            THEN excluded.logo_path ELSE companies.logo_path END,
        updated_at = excluded.updated_at
    -- A company that is already so, because of another commit, is not updated.
    WHERE (excluded.name <> companies.name
            AND excluded.id IN (SELECT id FROM companies_sent WHERE sets_name))
        OR (excluded.logo_path IS DISTINCT FROM companies.logo_path
            AND excluded.id IN (SELECT id FROM companies_sent WHERE sets_logo_path))
    RETURNING id
),
inserted AS (
    INSERT INTO postings ({postings})
    SELECT {postings sent} FROM unnest({postings ?}) AS sent ({postings})
    WHERE (SELECT count(*) FROM companies_written) >= 0
    ON CONFLICT DO NOTHING
    RETURNING 1
),
-- An unchanged description is neither sent nor stored again: PostgreSQL keeps the out-of-line value
-- if the row keeps its reference.
updated AS (
    UPDATE postings SET {postings.changing = sent}
    FROM unnest(?, {postings.changing ?}, ?) AS sent (id, {postings.changing}, expected)
    WHERE (SELECT count(*) FROM inserted) >= 0
        AND postings.id = sent.id AND postings.version = sent.expected
    RETURNING 1
),
written AS MATERIALIZED (
    SELECT (SELECT count(*) FROM inserted) AS inserted, (SELECT count(*) FROM updated) AS updated
),
texts_written AS (
    INSERT INTO posting_texts ({posting_texts})
    SELECT * FROM unnest({posting_texts ?})
    ON CONFLICT (posting_id) DO UPDATE SET {posting_texts.changing = excluded}
),
history_added AS (
    INSERT INTO posting_history (posting_id, version, step, at, status, reason, actor)
    SELECT * FROM unnest(?, ?, ?, ?, ?, ?, ?)
),
-- A waiting effect keeps its due time, a leased one its lease; a dead one starts anew. An effect
-- moves to the lane asked for last, but never to one of bulk work.
effects_asked AS (
    INSERT INTO outbox (kind, subject, account, next_at, created_at)
    SELECT kind, subject, account, at, at
    FROM unnest(?, ?, ?, ?) AS sent (kind, subject, account, at)
    WHERE (SELECT count(*) FROM written) >= 0
    ON CONFLICT (kind, subject) WHERE kind <> 'event' DO UPDATE SET
        account = CASE
            WHEN outbox.dead_at IS NULL AND excluded.account LIKE '%-bulk'
            THEN outbox.account ELSE excluded.account END,
        generation = outbox.generation + 1,
        next_at = CASE WHEN outbox.dead_at IS NULL THEN outbox.next_at ELSE excluded.next_at END,
        attempts = CASE WHEN outbox.dead_at IS NULL THEN outbox.attempts ELSE 0 END,
        first_failed_at = CASE WHEN outbox.dead_at IS NULL THEN outbox.first_failed_at END,
        last_error = CASE WHEN outbox.dead_at IS NULL THEN outbox.last_error END,
        dead_at = NULL
    RETURNING 1
),
-- Events get their numbers in the order sent. A company that did not change raises none. An event
-- behind a dead one is blocked; the `FOR SHARE` makes this commit wait for one that revives it, and
-- the other way round.
events_recorded AS (
    INSERT INTO outbox
        (kind, subject, event_name, source_identifier, occurred_at, next_at, created_at, blocked)
    SELECT kind, subject, event_name, source_identifier, occurred_at, at, at,
        EXISTS (
            SELECT FROM outbox AS dead WHERE dead.kind = 'event'
                AND dead.subject = sent.subject AND dead.dead_at IS NOT NULL
            FOR SHARE
        )
    FROM unnest(?, ?, ?, ?, ?, ?)
        AS sent (kind, subject, event_name, source_identifier, occurred_at, at)
    WHERE (SELECT count(*) FROM effects_asked) >= 0
        AND (subject NOT IN (SELECT id FROM companies_sent)
            OR subject IN (SELECT id FROM companies_written))
)
-- A changed version, or an identifier that was taken meanwhile, undoes everything.
SELECT must_hold(inserted = ? AND updated = ?) FROM written
