-- Many integrations share one board: clients get prefixes, a limit, several secrets and a record of
-- their activity, and postings name who wrote them.

ALTER TABLE clients RENAME TO clients_with_secrets;

-- OAuth clients: who may ask for tokens.
CREATE TABLE clients (
    -- The client_id.
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    created_at INTEGER NOT NULL,
    -- Counts the commits that wrote it, but for its activity.
    version INTEGER NOT NULL DEFAULT 1 CHECK (version >= 1),
    name TEXT NOT NULL,
    -- What it may ask for: comma-separated, without repeats.
    scopes TEXT NOT NULL,
    -- The beginnings of the identifiers of the postings that it may read and write, a JSON array;
    -- empty for the whole board.
    prefixes TEXT NOT NULL DEFAULT '[]' CHECK (prefixes LIKE '[%]'),
    -- The most requests that each process accepts from it in a minute; unset for no limit.
    requests_per_minute INTEGER CHECK (requests_per_minute BETWEEN 1 AND 4294967295),
    revoked_at INTEGER,
    -- When it last pushed, refused or not; some seconds late.
    last_push_at INTEGER
) STRICT, WITHOUT ROWID;

INSERT INTO clients (id, created_at, name, scopes, revoked_at)
    SELECT id, created_at, name, scopes, revoked_at FROM clients_with_secrets;

-- The secrets of clients: the newest, which has no end, and the one before it.
CREATE TABLE client_secrets (
    client_id BLOB NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    -- SHA-256 of the secret, which has 256 random bits and is stored nowhere.
    digest BLOB NOT NULL CHECK (length(digest) = 32),
    created_at INTEGER NOT NULL,
    -- When it ends, if a newer one has replaced it.
    expires_at INTEGER,
    -- When a token was last issued for it; some seconds late.
    last_used_at INTEGER,
    PRIMARY KEY (client_id, digest)
) STRICT, WITHOUT ROWID;

INSERT INTO client_secrets (client_id, digest, created_at)
    SELECT id, secret_digest, created_at FROM clients_with_secrets;

DROP TABLE clients_with_secrets;

-- What clients did on each of their newest days with anything. Written every few seconds.
CREATE TABLE client_days (
    client_id BLOB NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    -- In UTC, such as 2026-12-31.
    date TEXT NOT NULL CHECK (date LIKE '____-__-__'),
    -- Pushes by what came of them; one that updated may have updated the company alone.
    created INTEGER NOT NULL CHECK (created >= 0),
    updated INTEGER NOT NULL CHECK (updated >= 0),
    unchanged INTEGER NOT NULL CHECK (unchanged >= 0),
    expired INTEGER NOT NULL CHECK (expired >= 0),
    reopened INTEGER NOT NULL CHECK (reopened >= 0),
    refused INTEGER NOT NULL CHECK (refused >= 0),
    -- Of the postings that it created, those that got this verdict on the day.
    approved INTEGER NOT NULL CHECK (approved >= 0),
    rejected INTEGER NOT NULL CHECK (rejected >= 0),
    PRIMARY KEY (client_id, date)
) STRICT, WITHOUT ROWID;

-- The newest refused pushes of each client.
CREATE TABLE client_refusals (
    client_id BLOB NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    -- A UUIDv7: ids sort by time.
    id BLOB NOT NULL CHECK (length(id) = 16),
    at INTEGER NOT NULL,
    -- Of the posting, as far as it can be shown.
    identifier TEXT NOT NULL,
    -- Of the answer.
    status INTEGER NOT NULL CHECK (status BETWEEN 0 AND 65535),
    message TEXT NOT NULL,
    -- A JSON object of lists by field; unset without any.
    errors TEXT CHECK (errors LIKE '{%}'),
    PRIMARY KEY (client_id, id)
) STRICT, WITHOUT ROWID;

-- Who created a posting, as in posting_history.actor; unset where that is not known any more. And
-- whose the last change is; unset of one from before this column. They come last, as all columns
-- that are added.
ALTER TABLE postings ADD COLUMN created_by TEXT;
ALTER TABLE postings ADD COLUMN updated_by TEXT;

-- The creation of a posting is the first step of its first version.
UPDATE postings SET created_by = (
    SELECT actor FROM posting_history
    WHERE posting_id = postings.id AND version = 1 AND step = 0
);
