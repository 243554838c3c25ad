-- Everything that a commit of postings adds and changes, in one statement: alone, it is a
-- transaction of its own. Every column of every kind of row travels as one array, so a commit of any size has
-- this text; what there is nothing of is an empty array. What stands in braces are the columns of a
-- table, see `sql_common::sql::expand`.
--
-- What has to happen in order says so by a condition on what comes first, `(SELECT count(*) …) >= 0`.
-- It holds for no row in particular, so it is looked at before there is any, and even if there is
-- none. Locks come first; companies before the postings that refer to them; new postings, in the
-- order of their identifiers, before those that exist (an insert waits for whoever changes a posting
-- of the same identifier); and the outbox last, so that its rows for one posting are numbered in the
-- order of the commits that write it.
WITH
-- How long it waits for each row from here on. Locks of whole tables, which were taken before this is
-- looked at, have the session's limit.
patience AS MATERIALIZED (
    SELECT set_config('lock_timeout', ?, true)
),
-- Not as strongly as FOR UPDATE, which would keep others from adding rows that refer to them. Who
-- had to wait here finds versions that moved.
locked AS MATERIALIZED (
    SELECT id FROM postings
    WHERE (SELECT count(*) FROM patience) >= 0 AND id = ANY(?)
    ORDER BY id FOR NO KEY UPDATE
),
-- What a write sets of a company is no column of the table, so the update looks it up among the
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
    -- One that is so already, because somebody else was quicker, stays as it is.
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
-- A description that stays is not sent, nor stored anew: PostgreSQL keeps a large value where it
-- is if it gets back the very reference that the row holds.
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
-- An effect that waits keeps its turn, one that is leased its lease; a dead one starts anew. One
-- moves to the lane that was asked for last, but not to one of bulk work.
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
-- Events get their numbers in the order in which they are sent. Of a company that stayed as it is
-- there is nothing to tell. One behind a dead one is marked as such; whoever brings that back waits
-- for this commit, or is waited for.
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
-- A version that moved, or an identifier that was taken meanwhile, undoes everything.
SELECT must_hold(inserted = ? AND updated = ?) FROM written
