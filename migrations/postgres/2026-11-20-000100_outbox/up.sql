-- What has to happen outside the database, written in the commit that makes it necessary.
--
-- A row is an effect (a key without data: its handler loads the current state, so there is at
-- most one row for each) or an event (a row with data for each, delivered in order per posting).

CREATE TABLE outbox (
    id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    -- Kinds are not listed here, so that a new one needs no migration.
    kind text COLLATE "C" NOT NULL CHECK (kind <> ''),
    -- No foreign key: kinds differ in what they are for.
    subject uuid NOT NULL,
    generation bigint NOT NULL DEFAULT 1,
    attempts integer NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    next_at timestamptz NOT NULL,
    lease uuid,
    lost integer NOT NULL DEFAULT 0 CHECK (lost >= 0),
    blocked boolean NOT NULL DEFAULT false,
    first_failed_at timestamptz,
    last_error text,
    dead_at timestamptz,
    created_at timestamptz NOT NULL,
    event_name text COLLATE "C",
    source_identifier text COLLATE "C",
    occurred_at timestamptz,
    CHECK (dead_at IS NULL OR lease IS NULL),
    CHECK ((kind = 'event') = (event_name IS NOT NULL)),
    CHECK ((kind = 'event') = (source_identifier IS NOT NULL)),
    CHECK ((kind = 'event') = (occurred_at IS NOT NULL)),
    CONSTRAINT outbox_lost_of_leased CHECK (lost = 0 OR lease IS NOT NULL),
    CONSTRAINT outbox_blocked_events CHECK (NOT blocked OR (kind = 'event' AND lease IS NULL))
)
-- A queue: every row is soon updated and deleted. Left for long, its dead rows would be in the
-- way of every claim, so they are cleared by count and not by the table's size.
WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 1000);

COMMENT ON TABLE outbox IS
    'Effects to bring about and events to deliver. A finished task is deleted.';
COMMENT ON COLUMN outbox.id IS
    'Numbers the rows; those of the events of one posting in the order of its commits.';
COMMENT ON COLUMN outbox.kind IS '''event'', or the kind of effect (''enrich'').';
COMMENT ON COLUMN outbox.subject IS 'Whom it is for: with both kinds of today a posting.';
COMMENT ON COLUMN outbox.generation IS
    'Counts how often an effect was asked for. A task that was asked for again since it was claimed is due once more when it is finished.';
COMMENT ON COLUMN outbox.attempts IS 'How often it was claimed since it was asked for anew.';
COMMENT ON COLUMN outbox.next_at IS
    'When it is due, or when its lease ends: a task whose worker died is due by itself.';
COMMENT ON COLUMN outbox.lease IS 'The claim it is worked on under.';
COMMENT ON COLUMN outbox.lost IS
    'How many claims in a row ended without a report: their workers died, perhaps of this task.';
COMMENT ON COLUMN outbox.blocked IS
    'Whether an earlier event of the same subject is dead, so that it cannot be claimed.';
COMMENT ON COLUMN outbox.first_failed_at IS
    'The first failed attempt since it was asked for anew.';
COMMENT ON COLUMN outbox.last_error IS 'What went wrong last.';
COMMENT ON COLUMN outbox.dead_at IS
    'When it was given up; it stays until an operator revives it or it is asked for again.';
COMMENT ON COLUMN outbox.created_at IS 'When it was written.';
COMMENT ON COLUMN outbox.event_name IS 'Of events only: what happened.';
COMMENT ON COLUMN outbox.source_identifier IS
    'Of events only: the posting''s id in the world it comes from.';
COMMENT ON COLUMN outbox.occurred_at IS 'Of events only: when it happened.';

-- One row for each effect.
CREATE UNIQUE INDEX outbox_effects ON outbox (kind, subject) WHERE kind <> 'event';

-- Finds the oldest event of a posting.
CREATE INDEX outbox_events ON outbox (subject, id) WHERE kind = 'event';

-- What workers ask for: the tasks of a kind that are due, the longest due first.
CREATE INDEX outbox_due ON outbox (kind, next_at, id) WHERE dead_at IS NULL;

-- The dead event of a subject, which new ones of the same subject wait for, and what waits.
CREATE INDEX outbox_dead_events ON outbox (subject) WHERE kind = 'event' AND dead_at IS NOT NULL;
CREATE INDEX outbox_blocked ON outbox (subject, id) WHERE blocked;

-- What operators ask for.
CREATE INDEX outbox_dead ON outbox (id) WHERE dead_at IS NOT NULL;
