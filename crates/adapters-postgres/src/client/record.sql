-- Adds the activity of some seconds to what is stored, in one statement. Every column of every kind
-- of row travels as one array; arrays without rows are empty. Braces stand for the columns of a
-- table, see `sql_common::sql::expand`.
--
-- PostgreSQL runs these CTEs in no fixed order. `(SELECT count(*) FROM x) >= 0` makes one run after
-- `x`. Clients are locked first, by id: processes that write for the same clients go one after the
-- other. What is added goes to the newest version of a row, also if this had to wait for it.
WITH
lock_timeout AS MATERIALIZED (
    SELECT set_config('lock_timeout', :lock_timeout, true)
),
-- The version of a client stays as it is, so no change of it conflicts with this. Activity of
-- clients that are not stored finds none here.
known (client) AS MATERIALIZED (
    SELECT id FROM clients
    WHERE (SELECT count(*) FROM lock_timeout) >= 0 AND id = ANY(:clients)
    ORDER BY id FOR NO KEY UPDATE
),
days_added AS (
    INSERT INTO client_days ({client_days})
    SELECT {client_days sent} FROM unnest({client_days columns}) AS sent ({client_days})
    WHERE client_id IN (SELECT client FROM known)
    ON CONFLICT (client_id, date) DO UPDATE SET {client_days.changing += excluded},
        hours = client_days.hours | excluded.hours
),
tallies_added AS (
    INSERT INTO client_tallies ({client_tallies})
    SELECT {client_tallies sent} FROM unnest({client_tallies columns}) AS sent ({client_tallies})
    WHERE client_id IN (SELECT client FROM known)
    ON CONFLICT (client_id, date, name) DO UPDATE SET {client_tallies.changing += excluded}
),
pushes_noted AS (
    UPDATE clients SET last_push_at = greatest(clients.last_push_at, sent.at)
    FROM unnest({pushes columns}) AS sent ({pushes})
    WHERE clients.id = sent.client AND sent.client IN (SELECT client FROM known)
        AND (clients.last_push_at IS NULL OR clients.last_push_at < sent.at)
),
uses_noted AS (
    UPDATE client_secrets SET last_used_at = greatest(client_secrets.last_used_at, sent.at)
    FROM unnest({uses columns}) AS sent ({uses})
    WHERE client_secrets.client_id = sent.client AND client_secrets.digest = sent.digest
        AND sent.client IN (SELECT client FROM known)
        AND (client_secrets.last_used_at IS NULL OR client_secrets.last_used_at < sent.at)
)
-- One that is there already came with a commit whose answer was lost. Those of a posting that was
-- erased since are left out.
INSERT INTO client_refusals ({client_refusals})
SELECT {client_refusals sent} FROM unnest({client_refusals columns}) AS sent ({client_refusals})
WHERE client_id IN (SELECT client FROM known)
    AND NOT EXISTS (
        SELECT FROM audit
        WHERE audit.at >= sent.at AND audit.action = 'postings.erase'
            AND audit.subject = sent.identifier
    )
ON CONFLICT (client_id, id) DO NOTHING
