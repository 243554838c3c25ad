-- Many integrations share one board: clients get prefixes, a limit, several secrets and a record of
-- their activity, and postings name who wrote them.

ALTER TABLE clients
    ADD COLUMN version bigint NOT NULL DEFAULT 1 CHECK (version >= 1),
    ADD COLUMN prefixes json NOT NULL DEFAULT '[]' CHECK (json_typeof(prefixes) = 'array'),
    ADD COLUMN requests_per_minute bigint CHECK (requests_per_minute BETWEEN 1 AND 4294967295),
    ADD COLUMN last_push_at timestamptz;

-- The time of the last push changes every few seconds, and no index has it: with space left, the
-- row stays on its page.
ALTER TABLE clients SET (fillfactor = 50);

COMMENT ON COLUMN clients.version IS 'Counts the commits that wrote it, but for its activity.';
COMMENT ON COLUMN clients.prefixes IS
    'The beginnings of the identifiers of the postings that it may read and write, a JSON array; empty for the whole board.';
COMMENT ON COLUMN clients.requests_per_minute IS
    'The most requests that each process accepts from it in a minute; unset for no limit.';
COMMENT ON COLUMN clients.last_push_at IS 'When it last pushed, refused or not; some seconds late.';

CREATE TABLE client_secrets (
    client_id uuid NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    digest bytea NOT NULL CHECK (octet_length(digest) = 32),
    created_at timestamptz NOT NULL,
    expires_at timestamptz,
    last_used_at timestamptz,
    PRIMARY KEY (client_id, digest)
)
-- As above.
WITH (fillfactor = 50);

COMMENT ON TABLE client_secrets IS
    'The secrets of clients: the newest, which has no end, and the one before it.';
COMMENT ON COLUMN client_secrets.client_id IS 'The client.';
COMMENT ON COLUMN client_secrets.digest IS
    'SHA-256 of the secret, which has 256 random bits and is stored nowhere.';
COMMENT ON COLUMN client_secrets.created_at IS 'When it was made.';
COMMENT ON COLUMN client_secrets.expires_at IS 'When it ends, if a newer one has replaced it.';
COMMENT ON COLUMN client_secrets.last_used_at IS
    'When a token was last issued for it; some seconds late.';

INSERT INTO client_secrets (client_id, digest, created_at)
    SELECT id, secret_digest, created_at FROM clients;

ALTER TABLE clients DROP COLUMN secret_digest;

CREATE TABLE client_days (
    client_id uuid NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    date date NOT NULL,
    created bigint NOT NULL CHECK (created >= 0),
    updated bigint NOT NULL CHECK (updated >= 0),
    unchanged bigint NOT NULL CHECK (unchanged >= 0),
    expired bigint NOT NULL CHECK (expired >= 0),
    reopened bigint NOT NULL CHECK (reopened >= 0),
    refused bigint NOT NULL CHECK (refused >= 0),
    approved bigint NOT NULL CHECK (approved >= 0),
    rejected bigint NOT NULL CHECK (rejected >= 0),
    PRIMARY KEY (client_id, date)
)
-- As above.
WITH (fillfactor = 50);

COMMENT ON TABLE client_days IS
    'What clients did on each of their newest days with anything. Written every few seconds.';
COMMENT ON COLUMN client_days.client_id IS 'The client.';
COMMENT ON COLUMN client_days.date IS 'The day, in UTC.';
COMMENT ON COLUMN client_days.created IS 'The number of postings that it created.';
COMMENT ON COLUMN client_days.updated IS 'Pushes that updated a posting or its company.';
COMMENT ON COLUMN client_days.unchanged IS 'Pushes that changed nothing.';
COMMENT ON COLUMN client_days.expired IS 'Postings that it expired.';
COMMENT ON COLUMN client_days.reopened IS 'Postings that it reopened.';
COMMENT ON COLUMN client_days.refused IS 'Pushes that were refused.';
COMMENT ON COLUMN client_days.approved IS
    'Of the postings that it created, those that were approved on this day.';
COMMENT ON COLUMN client_days.rejected IS 'Likewise, those that were rejected.';

CREATE TABLE client_refusals (
    client_id uuid NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    id uuid NOT NULL,
    at timestamptz NOT NULL,
    identifier text COLLATE "C" NOT NULL,
    status integer NOT NULL CHECK (status BETWEEN 0 AND 65535),
    message text NOT NULL,
    errors json CHECK (json_typeof(errors) = 'object'),
    PRIMARY KEY (client_id, id)
)
-- Rows come and go, as in the outbox.
WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

COMMENT ON TABLE client_refusals IS 'The newest refused pushes of each client.';
COMMENT ON COLUMN client_refusals.client_id IS 'The client.';
COMMENT ON COLUMN client_refusals.id IS 'A UUIDv7: ids sort by time.';
COMMENT ON COLUMN client_refusals.at IS 'When it was refused.';
COMMENT ON COLUMN client_refusals.identifier IS
    'The identifier of the posting, as far as it can be shown.';
COMMENT ON COLUMN client_refusals.status IS 'The status of the answer.';
COMMENT ON COLUMN client_refusals.message IS 'Its message.';
COMMENT ON COLUMN client_refusals.errors IS
    'Its errors, a JSON object of lists by field; unset without any.';

ALTER TABLE postings
    ADD COLUMN created_by text COLLATE "C"
        CHECK (created_by IN ('enricher', 'operator', 'lifetime') OR created_by LIKE 'client:%'),
    ADD COLUMN updated_by text COLLATE "C"
        CHECK (updated_by IN ('enricher', 'operator', 'lifetime') OR updated_by LIKE 'client:%');

COMMENT ON COLUMN postings.created_by IS
    'Who created it, as in posting_history.actor; unset where that is not known any more.';
COMMENT ON COLUMN postings.updated_by IS
    'Whose the last change is; unset of one from before this column.';

-- The creation of a posting is the first step of its first version.
UPDATE postings SET created_by = creation.actor
FROM posting_history AS creation
WHERE creation.posting_id = postings.id AND creation.version = 1 AND creation.step = 0;
