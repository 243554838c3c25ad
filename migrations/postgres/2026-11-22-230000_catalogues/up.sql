-- Catalogues: the postings that a client offers under a name, the import of one that is running, and
-- the last one that ended.

CREATE TABLE catalogues (
    id uuid NOT NULL PRIMARY KEY,
    client_id uuid NOT NULL REFERENCES clients (id) ON DELETE CASCADE,
    name text COLLATE "C" NOT NULL CHECK (name ~ '^[A-Za-z0-9._-]{1,64}$'),
    created_at timestamptz NOT NULL,
    holder uuid,
    leased_until timestamptz,
    last_started_at timestamptz,
    last_finished_at timestamptz,
    lines bigint NOT NULL CHECK (lines >= 0),
    created bigint NOT NULL CHECK (created >= 0),
    updated bigint NOT NULL CHECK (updated >= 0),
    unchanged bigint NOT NULL CHECK (unchanged >= 0),
    expired bigint NOT NULL CHECK (expired >= 0),
    reopened bigint NOT NULL CHECK (reopened >= 0),
    refused bigint NOT NULL CHECK (refused >= 0),
    failed bigint NOT NULL CHECK (failed >= 0),
    missing bigint CHECK (missing >= 0),
    missing_expired bigint CHECK (missing_expired >= 0),
    is_held boolean NOT NULL,
    is_complete boolean NOT NULL,
    UNIQUE (client_id, name),
    CHECK ((holder IS NULL) = (leased_until IS NULL)),
    CHECK ((last_started_at IS NULL) = (last_finished_at IS NULL)),
    CHECK ((missing IS NULL) = (missing_expired IS NULL))
)
-- A running import updates its row every few seconds, and no index has a column that changes: with
-- space left, the row stays on its page.
WITH (fillfactor = 50);

COMMENT ON TABLE catalogues IS
    'The postings that a client offers under a name, and the last import of them. Which postings these are is in postings.catalogue_id.';
COMMENT ON COLUMN catalogues.id IS
    'A UUIDv7. A catalogue that was deleted and made again has another one.';
COMMENT ON COLUMN catalogues.client_id IS 'Whose catalogue it is.';
COMMENT ON COLUMN catalogues.name IS 'What the client calls it.';
COMMENT ON COLUMN catalogues.created_at IS 'When its first import began.';
COMMENT ON COLUMN catalogues.holder IS
    'The import that is running: a random id. Only a commit that finds it here may expire postings for it.';
COMMENT ON COLUMN catalogues.leased_until IS 'When the lease of the import ends if it is not renewed.';
COMMENT ON COLUMN catalogues.last_started_at IS
    'When the last import that ended began; unset before the first.';
COMMENT ON COLUMN catalogues.last_finished_at IS 'When it ended.';
COMMENT ON COLUMN catalogues.lines IS 'Its lines that were not blank.';
COMMENT ON COLUMN catalogues.created IS 'Of its lines, those that created a posting.';
COMMENT ON COLUMN catalogues.updated IS 'Those that changed a posting or its company.';
COMMENT ON COLUMN catalogues.unchanged IS 'Those that changed nothing.';
COMMENT ON COLUMN catalogues.expired IS 'Those that expired a posting.';
COMMENT ON COLUMN catalogues.reopened IS 'Those that reopened a posting.';
COMMENT ON COLUMN catalogues.refused IS 'Those that were refused.';
COMMENT ON COLUMN catalogues.failed IS 'Those that the service could not answer.';
COMMENT ON COLUMN catalogues.missing IS
    'The open postings that no line named; unset if the import did not get so far.';
COMMENT ON COLUMN catalogues.missing_expired IS 'Those of them that expired.';
COMMENT ON COLUMN catalogues.is_held IS 'Whether none expired because too many were missing.';
COMMENT ON COLUMN catalogues.is_complete IS
    'Whether every line had an answer, and the body ended as it should.';

-- Neither rewrites a table, nor reads it: what is there has met narrower checks.
ALTER TABLE postings
    ADD COLUMN catalogue_id uuid,
    DROP CONSTRAINT postings_created_by_check,
    DROP CONSTRAINT postings_updated_by_check,
    ADD CONSTRAINT postings_created_by_check CHECK (
        created_by IN ('enricher', 'operator', 'lifetime')
        OR created_by LIKE ANY (ARRAY['client:%', 'catalogue:%', 'operator:%'])
    ) NOT VALID,
    ADD CONSTRAINT postings_updated_by_check CHECK (
        updated_by IN ('enricher', 'operator', 'lifetime')
        OR updated_by LIKE ANY (ARRAY['client:%', 'catalogue:%', 'operator:%'])
    ) NOT VALID;

ALTER TABLE posting_history
    DROP CONSTRAINT posting_history_actor_check,
    ADD CONSTRAINT posting_history_actor_check CHECK (
        actor IN ('enricher', 'operator', 'lifetime')
        OR actor LIKE ANY (ARRAY['client:%', 'catalogue:%', 'operator:%'])
    ) NOT VALID;

COMMENT ON COLUMN postings.catalogue_id IS
    'The catalogue that listed it last. No foreign key: a catalogue that is deleted leaves its postings as they are.';
COMMENT ON COLUMN posting_history.actor IS
    'Who brought it about: client:ID, catalogue:NAME, operator:NAME, enricher, operator or lifetime.';

-- What an import of a catalogue asks for, by pages. It has no column that a push or an outcome
-- changes, so a posting moves in it only when it expires, comes back or is listed elsewhere.
CREATE INDEX postings_by_catalogue ON postings (catalogue_id, id)
    WHERE catalogue_id IS NOT NULL AND expired_at IS NULL;
