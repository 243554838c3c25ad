-- Webhooks: receivers of events, how far the deliveries to each of them are, and the last attempts.

CREATE TABLE webhook_endpoints (
    id uuid NOT NULL PRIMARY KEY,
    owner text COLLATE "C" NOT NULL CHECK (owner = 'operator' OR owner LIKE 'client:%'),
    created_at timestamptz NOT NULL,
    version bigint NOT NULL CHECK (version >= 1),
    url text COLLATE "C" NOT NULL CHECK (url <> ''),
    names json CHECK (json_typeof(names) = 'array'),
    prefixes json NOT NULL CHECK (json_typeof(prefixes) = 'array'),
    include_posting boolean NOT NULL,
    description text,
    state text COLLATE "C" NOT NULL CHECK (state IN ('active', 'paused', 'disabled')),
    state_reason text,
    -- Not a digest, because each delivery is signed with it.
    secret bytea NOT NULL CHECK (octet_length(secret) BETWEEN 24 AND 64),
    previous_secret bytea CHECK (octet_length(previous_secret) BETWEEN 24 AND 64),
    previous_secret_until timestamptz,
    updated_at timestamptz NOT NULL,
    written_in bigint NOT NULL CHECK (written_in >= 0),
    number bigint NOT NULL CHECK (number >= 0),
    last_success_at timestamptz,
    failing_since timestamptz,
    silent_rounds integer NOT NULL DEFAULT 0 CHECK (silent_rounds >= 0),
    quiet_until timestamptz,
    attempts bigint NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    holder uuid,
    leased_until timestamptz,
    CHECK ((state = 'disabled') = (state_reason IS NOT NULL)),
    CHECK ((previous_secret IS NULL) = (previous_secret_until IS NULL)),
    CHECK (holder IS NULL OR leased_until IS NOT NULL)
)
-- Each round of deliveries updates a row two or three times, and no index has a column that a round
-- changes: with space left, the row stays on its page.
WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

COMMENT ON TABLE webhook_endpoints IS
    'Receivers of events, as their owners registered them, and how far the deliveries to each are.';
COMMENT ON COLUMN webhook_endpoints.id IS 'A UUIDv7: ids sort by age.';
COMMENT ON COLUMN webhook_endpoints.owner IS 'client:ID, or operator.';
COMMENT ON COLUMN webhook_endpoints.created_at IS 'When it was registered.';
COMMENT ON COLUMN webhook_endpoints.version IS
    'Counts the changes by its owner, and its disabling.';
COMMENT ON COLUMN webhook_endpoints.url IS 'The address of the receiver.';
COMMENT ON COLUMN webhook_endpoints.names IS
    'The names of the wanted events, a JSON array; unset for all public ones.';
COMMENT ON COLUMN webhook_endpoints.prefixes IS
    'The beginnings of the identifiers of the postings that it may see, a JSON array; empty for the whole board.';
COMMENT ON COLUMN webhook_endpoints.include_posting IS
    'Whether events of a posting carry the posting as it is when they are delivered.';
COMMENT ON COLUMN webhook_endpoints.description IS 'The owner''s own words.';
COMMENT ON COLUMN webhook_endpoints.state IS
    'Whether events are delivered: active, paused (by the owner) or disabled (because deliveries failed for too long, or the receiver wants no more).';
COMMENT ON COLUMN webhook_endpoints.state_reason IS 'Why it is disabled.';
COMMENT ON COLUMN webhook_endpoints.secret IS
    'A secret: the key that signs deliveries, as it is. A reader of this column can sign in the service''s name.';
COMMENT ON COLUMN webhook_endpoints.previous_secret IS
    'A secret: the key before, which signs beside the new one for a while.';
COMMENT ON COLUMN webhook_endpoints.previous_secret_until IS 'When the key before ends.';
COMMENT ON COLUMN webhook_endpoints.updated_at IS 'When its version was written.';
COMMENT ON COLUMN webhook_endpoints.written_in IS
    'The place in the event log of the last event that was delivered, waits or was passed: the written_in of the event.';
COMMENT ON COLUMN webhook_endpoints.number IS 'The number of that event.';
COMMENT ON COLUMN webhook_endpoints.last_success_at IS 'When a delivery last succeeded.';
COMMENT ON COLUMN webhook_endpoints.failing_since IS 'When one first failed since then.';
COMMENT ON COLUMN webhook_endpoints.silent_rounds IS
    'The number of rounds without an answer since the last one.';
COMMENT ON COLUMN webhook_endpoints.quiet_until IS 'Until when it is left alone.';
COMMENT ON COLUMN webhook_endpoints.attempts IS
    'Counts the attempts that were recorded, and so numbers them.';
COMMENT ON COLUMN webhook_endpoints.holder IS 'The worker that delivers to it: a random id.';
COMMENT ON COLUMN webhook_endpoints.leased_until IS
    'When the lease ends if it is not renewed; without a holder, when the endpoint may be leased again.';

CREATE INDEX webhook_endpoints_by_owner ON webhook_endpoints (owner, id);

-- The endpoints that workers choose from. There are at most some thousands: each look reads them
-- all, which costs less than an index of columns that change with every round.
CREATE INDEX webhook_endpoints_active ON webhook_endpoints (id) WHERE state = 'active';

CREATE TABLE webhook_waiting (
    endpoint uuid NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
    -- No foreign key: the log forgets.
    written_in bigint NOT NULL CHECK (written_in >= 0),
    number bigint NOT NULL CHECK (number >= 0),
    name text COLLATE "C" NOT NULL CHECK (name <> ''),
    subject uuid NOT NULL,
    attempts integer NOT NULL CHECK (attempts >= 0),
    next_at timestamptz,
    last_error text,
    is_silent boolean NOT NULL,
    PRIMARY KEY (endpoint, written_in, number)
)
-- Rows come and go, as in the outbox.
WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

COMMENT ON TABLE webhook_waiting IS
    'Events that wait for an endpoint: their last attempt failed, or they follow such an event of the same subject. One that is settled is deleted.';
COMMENT ON COLUMN webhook_waiting.endpoint IS 'The endpoint.';
COMMENT ON COLUMN webhook_waiting.written_in IS 'The place of the event in the log: its written_in.';
COMMENT ON COLUMN webhook_waiting.number IS 'Its number.';
COMMENT ON COLUMN webhook_waiting.name IS 'Its name.';
COMMENT ON COLUMN webhook_waiting.subject IS 'The UUID of what it is about.';
COMMENT ON COLUMN webhook_waiting.attempts IS 'The number of attempts.';
COMMENT ON COLUMN webhook_waiting.next_at IS
    'When the next attempt is due; unset while an earlier event of the same subject waits.';
COMMENT ON COLUMN webhook_waiting.last_error IS 'Why the last attempt failed.';
COMMENT ON COLUMN webhook_waiting.is_silent IS 'Whether the last attempt was not answered.';

-- The longest due first.
CREATE INDEX webhook_waiting_due ON webhook_waiting (endpoint, next_at, written_in, number)
    WHERE next_at IS NOT NULL;

-- The oldest of a subject.
CREATE INDEX webhook_waiting_subjects ON webhook_waiting (endpoint, subject, written_in, number);

-- Those that are due when the endpoint answers again.
CREATE INDEX webhook_waiting_silent ON webhook_waiting (endpoint, next_at) WHERE is_silent;

CREATE TABLE webhook_deliveries (
    endpoint uuid NOT NULL REFERENCES webhook_endpoints (id) ON DELETE CASCADE,
    slot integer NOT NULL CHECK (slot >= 0),
    position bigint NOT NULL CHECK (position >= 1),
    at timestamptz NOT NULL,
    written_in bigint NOT NULL CHECK (written_in >= 0),
    number bigint NOT NULL CHECK (number >= 0),
    name text COLLATE "C" NOT NULL CHECK (name <> ''),
    attempt integer NOT NULL CHECK (attempt >= 0),
    status integer CHECK (status BETWEEN 0 AND 65535),
    duration_ms bigint NOT NULL CHECK (duration_ms >= 0),
    error text,
    PRIMARY KEY (endpoint, slot)
)
-- A new attempt takes the row of the oldest, and the only index has no column that changes then.
WITH (fillfactor = 50);

COMMENT ON TABLE webhook_deliveries IS
    'The newest attempts at each endpoint. Their number is fixed: a new one takes the row of the oldest.';
COMMENT ON COLUMN webhook_deliveries.endpoint IS 'The endpoint.';
COMMENT ON COLUMN webhook_deliveries.slot IS
    'The rest of the position, divided by how many are kept.';
COMMENT ON COLUMN webhook_deliveries.position IS 'Counts the attempts at the endpoint.';
COMMENT ON COLUMN webhook_deliveries.at IS 'When it ended.';
COMMENT ON COLUMN webhook_deliveries.written_in IS
    'The place of the event in the log: its written_in.';
COMMENT ON COLUMN webhook_deliveries.number IS 'Its number.';
COMMENT ON COLUMN webhook_deliveries.name IS 'Its name.';
COMMENT ON COLUMN webhook_deliveries.attempt IS 'Counts the attempts at this event.';
COMMENT ON COLUMN webhook_deliveries.status IS 'The status of the answer; unset without one.';
COMMENT ON COLUMN webhook_deliveries.duration_ms IS
    'The time until the answer, in milliseconds.';
COMMENT ON COLUMN webhook_deliveries.error IS 'Why it failed.';
