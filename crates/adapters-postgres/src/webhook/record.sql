-- Everything that a round comes to but a disabling, in one statement: alone, it is a transaction of
-- its own. Every column of rows that are sent travels as one array, so a round of any size has this
-- text.
--
-- Each part reads the tables as they were before the statement, so a part that depends on another
-- one reads that one and not the table. No row of a table is written by two parts.
--
-- Rows are looked up one by one, and then written by their place in the table (`ctid`): a plan from
-- when the table was empty would read all waiting events of the endpoint.
WITH
-- The endpoint, if its lease and its place are still those of the round.
locked AS MATERIALIZED (
    SELECT id, version, attempts FROM webhook_endpoints
    WHERE id = :endpoint AND holder = :holder
        AND commit_seq = :from_seq AND number = :from_number
    FOR NO KEY UPDATE
),
-- Every transaction that writes the waiting events or the deliveries of an endpoint locks its row
-- first, and changes the holder, the place or the version. So what this statement sees of them is
-- as it is, even if it had to wait for the row.
held AS MATERIALIZED (
    SELECT * FROM locked WHERE version = :version
),
round AS MATERIALIZED (
    SELECT :round_at::timestamptz AS at, :again_at::timestamptz AS again_at,
        :wakes_silent::boolean AS wakes_silent
),
sent AS MATERIALIZED (
    SELECT * FROM unnest({webhook_waiting columns}) AS sent ({webhook_waiting})
),
settled AS MATERIALIZED (
    SELECT * FROM unnest({settled columns}) AS settled ({settled})
),
found AS MATERIALIZED (
    SELECT stored.* FROM held CROSS JOIN settled CROSS JOIN LATERAL (
        SELECT waiting.ctid AS place FROM webhook_waiting AS waiting
        WHERE waiting.endpoint = held.id AND waiting.subject = settled.subject
        LIMIT 1
    ) AS stored
),
silent AS MATERIALIZED (
    SELECT stored.* FROM held CROSS JOIN round CROSS JOIN LATERAL (
        SELECT waiting.ctid AS place FROM webhook_waiting AS waiting
        WHERE round.wakes_silent AND waiting.endpoint = held.id
            AND waiting.is_silent AND waiting.next_at > round.at
            AND waiting.subject NOT IN (SELECT subject FROM sent)
            AND waiting.subject NOT IN (SELECT subject FROM settled)
    ) AS stored
),
waiting_sent AS (
    INSERT INTO webhook_waiting
        (endpoint, subject, commit_seq, number, name, attempts, next_at, last_error, is_silent,
         later, read_to)
    SELECT held.id, sent.subject, sent.commit_seq, sent.number, sent.name, sent.attempts,
        CASE
            WHEN round.wakes_silent AND sent.is_silent THEN least(sent.next_at, round.at)
            ELSE sent.next_at
        END,
        sent.last_error, sent.is_silent, sent.later, sent.read_to
    FROM held CROSS JOIN round CROSS JOIN sent
    ON CONFLICT (endpoint, subject)
    DO UPDATE SET {webhook_waiting.changing = excluded}
),
waiting_settled AS (
    DELETE FROM webhook_waiting WHERE ctid = ANY (ARRAY(SELECT place FROM found))
),
waiting_woken AS (
    UPDATE webhook_waiting AS waiting SET next_at = round.at FROM round
    WHERE waiting.ctid = ANY (ARRAY(SELECT place FROM silent))
),
-- Each takes the row of the oldest that is kept.
delivered AS (
    INSERT INTO webhook_deliveries
        (endpoint, slot, position, at, commit_seq, number, name, attempt, status, duration_ms,
         error)
    SELECT held.id, (held.attempts + sent.place) % :kept, held.attempts + sent.place, sent.at,
        sent.commit_seq, sent.number, sent.name, sent.attempt, sent.status, sent.duration_ms,
        sent.error
    FROM held CROSS JOIN unnest(:places::bigint[], {webhook_deliveries columns})
        AS sent (place, {webhook_deliveries})
    ON CONFLICT (endpoint, slot) DO UPDATE SET
        position = excluded.position, at = excluded.at, commit_seq = excluded.commit_seq,
        number = excluded.number, name = excluded.name, attempt = excluded.attempt,
        status = excluded.status, duration_ms = excluded.duration_ms, error = excluded.error
),
moved AS (
    UPDATE webhook_endpoints AS endpoint SET
        commit_seq = :to_seq, number = :to_number, attempts = endpoint.attempts + :made,
        holder = NULL, leased_until = round.again_at,
        last_success_at = :last_success_at, failing_since = :failing_since,
        silent_rounds = :silent_rounds, open_until = :open_until
    FROM held, round
    WHERE endpoint.id = held.id
)
SELECT version FROM locked
