-- A kind may have several queues, as syncs have two for each account of the e-mail provider, and
-- what happens to subscribers is an event too. SQLite cannot change a check, so the table is built
-- anew; with the last id that was ever used, because ids are never used again.
ALTER TABLE outbox RENAME TO outbox_before;

-- What has to happen outside the database, written in the commit that makes it necessary.
--
-- A row is an effect (a key without data: its handler loads the current state, so there is at
-- most one row for each) or an event (a row with data for each, delivered in order per
-- subject). A finished task is deleted.
CREATE TABLE outbox (
    -- In the order written, and never used again: an operator may name a row that is gone.
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    -- 'event', or the kind of effect, as the context that owns it declares it. Kinds and their
    -- lanes are not listed here, because a new one would make it necessary to build the table anew.
    kind TEXT NOT NULL CHECK (kind <> ''),
    -- The UUID of what it is for: a posting, a company or a subscriber. No foreign key: kinds
    -- differ in what they are for.
    subject BLOB NOT NULL CHECK (length(subject) = 16),
    -- The lane of its kind that was asked for last, of kinds that have several: of 'sync' the
    -- provider's account. One that ends with -bulk waits behind all others.
    account TEXT CHECK (account <> ''),
    -- Counts how often an effect was asked for. A task that was asked for again since it was
    -- claimed is due once more when it is finished.
    generation INTEGER NOT NULL DEFAULT 1,
    -- How often it was claimed since it was asked for anew.
    attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    -- When it is due, or when its lease ends: a task whose worker died is due by itself.
    next_at INTEGER NOT NULL,
    -- The claim it is worked on under.
    lease BLOB CHECK (length(lease) = 16),
    -- How many claims in a row ended without a report: their workers died, perhaps of this task.
    lost INTEGER NOT NULL DEFAULT 0 CHECK (lost >= 0),
    -- 1: an earlier event of the same subject is dead, so it cannot be claimed.
    blocked INTEGER NOT NULL DEFAULT 0 CHECK (blocked IN (0, 1)),
    -- The first failed attempt since it was asked for anew.
    first_failed_at INTEGER,
    last_error TEXT,
    -- Given up then; it stays until an operator revives it or it is asked for again.
    dead_at INTEGER,
    created_at INTEGER NOT NULL,
    -- Of events only: its name, of a posting's the posting's source identifier, and when it
    -- happened.
    event_name TEXT,
    source_identifier TEXT,
    occurred_at INTEGER,
    CHECK (dead_at IS NULL OR lease IS NULL),
    CHECK ((kind = 'event') = (event_name IS NOT NULL)),
    CHECK (kind = 'event' OR source_identifier IS NULL),
    CHECK ((kind = 'event') = (occurred_at IS NOT NULL)),
    CHECK (lost = 0 OR lease IS NOT NULL),
    CHECK (blocked = 0 OR (kind = 'event' AND lease IS NULL))
) STRICT;

INSERT INTO sqlite_sequence (name, seq)
    SELECT 'outbox', seq FROM sqlite_sequence WHERE name = 'outbox_before';
INSERT INTO outbox
    (id, kind, subject, generation, attempts, next_at, lease, first_failed_at, last_error,
     dead_at, created_at, event_name, source_identifier, occurred_at, lost, blocked)
    SELECT id, kind, subject, generation, attempts, next_at, lease, first_failed_at, last_error,
        dead_at, created_at, event_name, source_identifier, occurred_at, lost, blocked
    FROM outbox_before;
DROP TABLE outbox_before;

-- One row for each effect.
CREATE UNIQUE INDEX outbox_effects ON outbox (kind, subject) WHERE kind <> 'event';

-- Finds the oldest event of a subject. (Every index ends with the row's id.)
CREATE INDEX outbox_events ON outbox (subject) WHERE kind = 'event';

-- What workers ask for: the tasks of a queue that are due, the longest due first; and those whose
-- lease ended, likewise. A task is in one of them or in neither, so a claim costs one entry.
CREATE INDEX outbox_due ON outbox (kind, account, next_at)
    WHERE dead_at IS NULL AND lease IS NULL AND blocked = 0;
CREATE INDEX outbox_leased ON outbox (kind, account, next_at) WHERE lease IS NOT NULL;

-- The dead event of a subject, which new ones of the same subject wait for, and what waits.
CREATE INDEX outbox_dead_events ON outbox (subject) WHERE kind = 'event' AND dead_at IS NOT NULL;
CREATE INDEX outbox_blocked ON outbox (subject) WHERE blocked = 1;

-- What operators ask for.
CREATE INDEX outbox_dead ON outbox (kind) WHERE dead_at IS NOT NULL;
