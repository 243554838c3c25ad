-- Writes everything that a commit of postings adds and changes, in one statement, which alone is a
-- transaction. Every column of every kind of row travels as one array, so a commit of any size has
-- the same text; arrays without rows are empty. Braces stand for the columns of a table, see
-- `sql_common::sql::expand`. What stands between `--[ part` and `--] part` is left out of the shapes
-- that do without it, which have instead what follows the colon: see `commit/shape.rs`.
--
-- PostgreSQL runs these CTEs in no fixed order. `(SELECT count(*) FROM x) >= 0` makes one run after
-- `x`, and is evaluated once, even if no rows follow. Locks come first; companies before the
-- postings that refer to them; new postings, by identifier, before existing ones (an insert waits
-- for a transaction that changes a posting of the same identifier); and the outbox last, so that
-- outbox rows of a posting are numbered in the order of its commits.
WITH
-- The lock timeout for rows from here on. Table locks, which are taken before, go by the session's.
lock_timeout AS MATERIALIZED (
    SELECT set_config('lock_timeout', :lock_timeout, true)
),
--[ leases
-- No other transaction takes, ends or deletes these leases before this commit ends.
leases AS MATERIALIZED (
    SELECT catalogues.id
    FROM unnest(:lease_catalogue::uuid[], :lease_holder::uuid[]) AS sent (catalogue, holder)
    JOIN catalogues ON catalogues.id = sent.catalogue AND catalogues.holder = sent.holder
    WHERE (SELECT count(*) FROM lock_timeout) >= 0
    ORDER BY catalogues.id FOR SHARE OF catalogues
),
--] leases
-- `FOR UPDATE` would also keep others from inserting rows that refer to these. A commit that had to
-- wait here finds changed versions.
locked AS MATERIALIZED (
    SELECT id FROM postings
    --[ leases
    WHERE (SELECT count(*) FROM leases) >= 0
    --] leases: WHERE (SELECT count(*) FROM lock_timeout) >= 0
        AND id = ANY(:locked)
    ORDER BY id FOR NO KEY UPDATE
),
--[ companies
-- Which fields of a company to set is no column of the table, so the update looks it up among the
-- rows that were sent.
companies_sent AS MATERIALIZED (
    SELECT * FROM unnest({companies columns}) AS sent ({companies})
),
companies_written AS (
    INSERT INTO companies
        (id, name, website, website_key, name_key, site, alias_of, logo_path, owner, keeps_name,
            keeps_logo, former_names, created_at, updated_at, updated_by)
    SELECT id, name, website, website_key, name_key, site, alias_of, logo_path, owner, keeps_name,
        keeps_logo, replaced::json, at, at, by
    FROM companies_sent
    WHERE (SELECT count(*) FROM locked) >= 0
    ON CONFLICT (id) DO UPDATE SET
        name = CASE WHEN excluded.id IN (SELECT id FROM companies_sent WHERE sets_name)
            THEN excluded.name ELSE companies.name END,
        name_key = CASE WHEN excluded.id IN (SELECT id FROM companies_sent WHERE sets_name)
            THEN excluded.name_key ELSE companies.name_key END,
        alias_of = CASE WHEN excluded.id IN (SELECT id FROM companies_sent WHERE sets_alias)
            THEN excluded.alias_of ELSE companies.alias_of END,
        keeps_name = CASE WHEN excluded.id IN (SELECT id FROM companies_sent WHERE sets_name)
            THEN excluded.keeps_name ELSE companies.keeps_name END,
        logo_path = CASE WHEN excluded.id IN (SELECT id FROM companies_sent WHERE sets_logo_path)
            THEN excluded.logo_path ELSE companies.logo_path END,
        keeps_logo = CASE WHEN excluded.id IN (SELECT id FROM companies_sent WHERE sets_logo_path)
            THEN excluded.keeps_logo ELSE companies.keeps_logo END,
        owner = CASE WHEN excluded.id IN (SELECT id FROM companies_sent WHERE sets_owner)
            THEN excluded.owner ELSE companies.owner END,
        -- `CompanyWrite::former_names`, of the stored name as it is under this lock.
        former_names = CASE WHEN excluded.id IN (SELECT id FROM companies_sent WHERE sets_name)
            THEN (
                SELECT json_agg(newest.name ORDER BY newest.place)
                FROM (
                    SELECT had.name, min(had.place) AS place
                    FROM (
                        SELECT value AS name, ordinality AS place
                        FROM json_array_elements_text(excluded.former_names) WITH ORDINALITY
                        UNION ALL SELECT companies.name, 1000
                        UNION ALL SELECT value, 1000 + ordinality
                        FROM json_array_elements_text(companies.former_names) WITH ORDINALITY
                    ) AS had
                    WHERE had.name <> excluded.name
                    GROUP BY had.name ORDER BY place LIMIT :most_names
                ) AS newest
            ) ELSE companies.former_names END,
        updated_at = excluded.updated_at,
        updated_by = excluded.updated_by
    -- `CompanyWrite::applied_to`, of the stored company as it is under this lock: one of another
    -- owner than the write requires, that an operator keeps or merged, undoes the commit. One that is so
    -- already, because another commit was quicker, stays as it is.
    WHERE CASE WHEN must_hold(NOT EXISTS (
            SELECT FROM companies_sent
            WHERE companies_sent.id = excluded.id
                AND (required_owner IS DISTINCT FROM companies.owner
                    AND required_owner IS NOT NULL
                OR companies.alias_of IS NOT NULL AND NOT sets_alias
                OR yields AND (sets_name AND companies.keeps_name
                    OR sets_logo_path AND companies.keeps_logo))
        ))
        THEN ((excluded.name, excluded.keeps_name)
                IS DISTINCT FROM (companies.name, companies.keeps_name)
            AND excluded.id IN (SELECT id FROM companies_sent WHERE sets_name))
        OR ((excluded.logo_path, excluded.keeps_logo)
                IS DISTINCT FROM (companies.logo_path, companies.keeps_logo)
            AND excluded.id IN (SELECT id FROM companies_sent WHERE sets_logo_path))
        OR (excluded.owner IS DISTINCT FROM companies.owner
            AND excluded.id IN (SELECT id FROM companies_sent WHERE sets_owner))
        OR (excluded.alias_of IS DISTINCT FROM companies.alias_of
            AND excluded.id IN (SELECT id FROM companies_sent WHERE sets_alias))
        OR EXISTS (
            SELECT value FROM json_array_elements_text(excluded.former_names)
            WHERE value <> companies.name
            EXCEPT SELECT value FROM json_array_elements_text(companies.former_names)
        ) END
    RETURNING id, name, website, logo_path, updated_by, alias_of
),
--] companies
--[ new
inserted AS (
    INSERT INTO postings ({postings})
    SELECT {postings sent} FROM unnest({postings columns}) AS sent ({postings})
    --[ companies
    WHERE (SELECT count(*) FROM companies_written) >= 0
    --] companies: WHERE (SELECT count(*) FROM locked) >= 0
    ON CONFLICT DO NOTHING
    RETURNING 1
),
--] new
--[ changed
-- An unchanged description is neither sent nor stored again: PostgreSQL keeps the out-of-line value
-- if the row keeps its reference.
updated AS (
    UPDATE postings SET {postings.changing = sent}
    FROM unnest(:changed_id::uuid[], {postings.changing columns}, :expected::bigint[])
        AS sent (id, {postings.changing}, expected)
    --[ new
    WHERE (SELECT count(*) FROM inserted) >= 0
    --] new: WHERE (SELECT count(*) FROM locked) >= 0
        AND postings.id = sent.id AND postings.version = sent.expected
    RETURNING 1
),
--] changed
written AS MATERIALIZED (
    SELECT
        --[ new
        (SELECT count(*) FROM inserted)
        --] new: 0
        AS inserted,
        --[ changed
        (SELECT count(*) FROM updated)
        --] changed: 0
        AS updated
),
-- The place in the event log, taken once all rows are locked: see `event/mod.rs`.
this_commit AS MATERIALIZED (
    SELECT event_place() + transaction_offset AS place
    FROM event_log WHERE singleton AND (SELECT inserted + updated FROM written) >= 0
),
--[ texts
texts_written AS (
    INSERT INTO posting_texts ({posting_texts})
    SELECT {posting_texts sent} FROM unnest({posting_texts columns}) AS sent ({posting_texts})
    ON CONFLICT (posting_id) DO UPDATE SET {posting_texts.changing = excluded}
),
--] texts
--[ versions
-- What the update replaces: this statement sees the rows as they were.
versions_added AS (
    INSERT INTO posting_versions (posting_id, version, at, actor, import, before, raw_description,
        markdown, redacted_markdown, redacted_title, latitude, longitude, findings)
    SELECT sent.posting_id, sent.version, sent.at, sent.actor, sent.import, sent.before::json,
        CASE WHEN sent.has_description
            THEN (SELECT raw_description FROM postings WHERE id = sent.posting_id) END,
        --[ texts
        texts.markdown, texts.redacted_markdown, texts.redacted_title, texts.latitude,
        texts.longitude, texts.findings
        --] texts: NULL, NULL, NULL, NULL, NULL, NULL
    FROM unnest({posting_versions columns}) AS sent ({posting_versions})
    --[ texts
    LEFT JOIN LATERAL (
        SELECT * FROM posting_texts
        WHERE sent.has_texts AND posting_texts.posting_id = sent.posting_id OFFSET 0
    ) AS texts ON true
    --] texts
),
--] versions
history_added AS (
    INSERT INTO posting_history ({posting_history})
    SELECT * FROM unnest({posting_history columns})
),
-- A waiting effect keeps its due time, a leased one its lease; a dead one starts anew. An effect
-- moves to the lane asked for last, but never to one of bulk work.
effects_asked AS (
    INSERT INTO outbox ({outbox})
    SELECT * FROM unnest({outbox columns})
    WHERE (SELECT count(*) FROM written) >= 0
    ON CONFLICT (kind, subject) DO UPDATE SET
        account = CASE
            WHEN outbox.dead_at IS NULL AND excluded.account LIKE '%-bulk'
            THEN outbox.account ELSE excluded.account END,
        generation = outbox.generation + 1,
        next_at = CASE WHEN outbox.dead_at IS NULL THEN outbox.next_at ELSE excluded.next_at END,
        attempts = CASE WHEN outbox.dead_at IS NULL THEN outbox.attempts ELSE 0 END,
        first_failed_at = CASE WHEN outbox.dead_at IS NULL THEN outbox.first_failed_at END,
        last_error = CASE WHEN outbox.dead_at IS NULL THEN outbox.last_error END,
        dead_at = NULL,
        trace_parent = excluded.trace_parent
),
-- Events get their numbers in the order in which they are sent. One of a company says how the
-- company stands after this commit, and is left out if the company stayed as it was.
events_recorded AS (
    INSERT INTO events (commit_seq, {events})
    SELECT (SELECT place FROM this_commit), sent.at, sent.name, sent.subject,
        sent.source_identifier, sent.version, sent.status, sent.status_reason,
        --[ companies
        coalesce(stands.name, sent.company_name), coalesce(stands.website, sent.company_website),
        CASE WHEN stands.id IS NULL THEN sent.company_logo_path ELSE stands.logo_path END,
        CASE WHEN stands.id IS NULL THEN sent.company_updated_by ELSE stands.updated_by END,
        CASE WHEN stands.id IS NULL THEN sent.company_merged_into ELSE stands.alias_of END,
        --] companies: company_name, company_website, company_logo_path, company_updated_by, company_merged_into,
        sent.trace_parent, sent.decision_code, sent.decision_ground, sent.decision_by_notice,
        sent.reported_posting, sent.attention::json
    FROM unnest({events columns}) AS sent ({events})
    --[ companies
    -- OFFSET keeps this apart, so that it is looked at for events of companies only.
    LEFT JOIN LATERAL (
        SELECT * FROM companies_written
        WHERE sent.company_name IS NOT NULL AND companies_written.id = sent.subject OFFSET 0
    ) AS stands ON true
    WHERE sent.company_name IS NULL OR stands.id IS NOT NULL
        OR sent.subject NOT IN (SELECT id FROM companies_sent)
    --] companies
)
-- A changed version, an identifier that was taken meanwhile, or a lost lease undoes everything.
SELECT must_hold(inserted = :inserted AND updated = :updated
--[ leases
AND (SELECT count(*) FROM leases) = :leases
--] leases
) FROM written
