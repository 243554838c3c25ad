-- Webhooks: receivers of events, how far the deliveries to each of them are, and the last attempts.

-- A receiver, as its owner registered it; and what workers know of it.
CREATE TABLE webhook_endpoints (
    -- A UUIDv7: ids sort by age.
    id BLOB NOT NULL PRIMARY KEY CHECK (length(id) = 16),
    -- client:ID or operator.
    owner TEXT NOT NULL CHECK (owner = 'operator' OR owner LIKE 'client:%'),
    created_at INTEGER NOT NULL,
    -- Counts the changes by its owner, and its disabling.
    version INTEGER NOT NULL CHECK (version >= 1),
    url TEXT NOT NULL CHECK (url <> ''),
    -- The names of the wanted events, a JSON array; unset for all public ones.
    names TEXT CHECK (names LIKE '[%]'),
    -- The beginnings of the identifiers of the postings that it may see, a JSON array; empty for
    -- the whole board.
    prefixes TEXT NOT NULL CHECK (prefixes LIKE '[%]'),
    -- Whether events of a posting carry the posting.
    include_posting INTEGER NOT NULL CHECK (include_posting IN (0, 1)),
    -- The owner's own words.
    description TEXT,
    state TEXT NOT NULL CHECK (state IN ('active', 'paused', 'disabled')),
    -- Why it is disabled.
    state_reason TEXT,
    -- A secret: the key that signs deliveries, as it is. Not a digest, because each delivery is
    -- signed with it: a reader of this file can sign in the service's name.
    secret BLOB NOT NULL CHECK (length(secret) BETWEEN 24 AND 64),
    -- A secret as well: the key before, and until when it signs beside the new one.
    previous_secret BLOB CHECK (length(previous_secret) BETWEEN 24 AND 64),
    previous_secret_until INTEGER,
    -- When its version was written.
    updated_at INTEGER NOT NULL,

    -- The place in the event log of the last event that was delivered, waits or was passed.
    written_in INTEGER NOT NULL CHECK (written_in >= 0),
    number INTEGER NOT NULL CHECK (number >= 0),
    -- How it fares: the last success, the first failure since then, the number of rounds without
    -- an answer since the last one, and until when it is left alone.
    last_success_at INTEGER,
    failing_since INTEGER,
    silent_rounds INTEGER NOT NULL DEFAULT 0 CHECK (silent_rounds >= 0),
    quiet_until INTEGER,
    -- Counts the attempts that were recorded, and so numbers them.
    attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    -- The worker that delivers to it: a random id.
    holder BLOB CHECK (length(holder) = 16),
    -- When the lease ends if it is not renewed; without a holder, when the endpoint may be leased
    -- again.
    leased_until INTEGER,
    CHECK ((state = 'disabled') = (state_reason IS NOT NULL)),
    CHECK ((previous_secret IS NULL) = (previous_secret_until IS NULL)),
    CHECK (holder IS NULL OR leased_until IS NOT NULL)
) STRICT;

CREATE INDEX webhook_endpoints_by_owner ON webhook_endpoints (owner, id);
-- The endpoints that workers choose from.
CREATE INDEX webhook_endpoints_active ON webhook_endpoints (id) WHERE state = 'active';

-- Events that wait for an endpoint: their last attempt failed, or they follow such an event of the
-- same subject. One that is settled is deleted.
CREATE TABLE webhook_waiting (
    endpoint BLOB NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
    -- The place of the event in the log. No foreign key: the log forgets.
    written_in INTEGER NOT NULL CHECK (written_in >= 0),
    number INTEGER NOT NULL CHECK (number >= 0),
    -- Its name, and the UUID of what it is about.
    name TEXT NOT NULL CHECK (name <> ''),
    subject BLOB NOT NULL CHECK (length(subject) = 16),
    attempts INTEGER NOT NULL CHECK (attempts >= 0),
    -- When the next attempt is due; unset while an earlier event of the subject waits.
    next_at INTEGER,
    last_error TEXT,
    -- Whether the last attempt was not answered.
    is_silent INTEGER NOT NULL CHECK (is_silent IN (0, 1)),
    PRIMARY KEY (endpoint, written_in, number)
) STRICT, WITHOUT ROWID;

-- The longest due first.
CREATE INDEX webhook_waiting_due ON webhook_waiting (endpoint, next_at, written_in, number)
    WHERE next_at IS NOT NULL;
-- The oldest of a subject.
CREATE INDEX webhook_waiting_subjects ON webhook_waiting (endpoint, subject, written_in, number);
-- Those that are due when the endpoint answers again.
CREATE INDEX webhook_waiting_silent ON webhook_waiting (endpoint, next_at) WHERE is_silent;

-- The newest attempts at each endpoint. Their number is fixed, so a new one takes the row of the
-- oldest.
CREATE TABLE webhook_deliveries (
    endpoint BLOB NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
    -- The rest of its position, divided by how many are kept.
    slot INTEGER NOT NULL CHECK (slot >= 0),
    -- Counts the attempts at the endpoint.
    position INTEGER NOT NULL CHECK (position >= 1),
    -- When it ended.
    at INTEGER NOT NULL,
    -- The place of the event in the log, and its name.
    written_in INTEGER NOT NULL CHECK (written_in >= 0),
    number INTEGER NOT NULL CHECK (number >= 0),
    name TEXT NOT NULL CHECK (name <> ''),
    -- Counts the attempts at this event.
    attempt INTEGER NOT NULL CHECK (attempt >= 0),
    -- Of the answer; unset without one.
    status INTEGER CHECK (status BETWEEN 0 AND 65535),
    duration_ms INTEGER NOT NULL CHECK (duration_ms >= 0),
    -- Why it failed.
    error TEXT,
    PRIMARY KEY (endpoint, slot)
) STRICT, WITHOUT ROWID;
