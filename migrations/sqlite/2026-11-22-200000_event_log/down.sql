-- Takes the event log away, with the events in it: they do not go back into the outbox, so what has
-- not been read by then is lost. Tasks stay.
ALTER TABLE postings DROP COLUMN texts_digest;

DROP INDEX outbox_effects;
DROP INDEX outbox_due;
DROP INDEX outbox_leased;
DROP INDEX outbox_dead;
ALTER TABLE outbox RENAME TO outbox_without_events;

CREATE TABLE outbox (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL CHECK (kind <> ''),
    subject BLOB NOT NULL CHECK (length(subject) = 16),
    account TEXT CHECK (account <> ''),
    generation INTEGER NOT NULL DEFAULT 1,
    attempts INTEGER NOT NULL DEFAULT 0 CHECK (attempts >= 0),
    next_at INTEGER NOT NULL,
    lease BLOB CHECK (length(lease) = 16),
    lost INTEGER NOT NULL DEFAULT 0 CHECK (lost >= 0),
    blocked INTEGER NOT NULL DEFAULT 0 CHECK (blocked IN (0, 1)),
    first_failed_at INTEGER,
    last_error TEXT,
    dead_at INTEGER,
    created_at INTEGER NOT NULL,
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
    SELECT 'outbox', seq FROM sqlite_sequence WHERE name = 'outbox_without_events';

INSERT INTO outbox
    (id, kind, subject, account, generation, attempts, next_at, lease, lost, first_failed_at,
     last_error, dead_at, created_at)
SELECT
    id, kind, subject, account, generation, attempts, next_at, lease, lost, first_failed_at,
    last_error, dead_at, created_at
FROM outbox_without_events
ORDER BY id;

DROP TABLE outbox_without_events;

CREATE UNIQUE INDEX outbox_effects ON outbox (kind, subject) WHERE kind <> 'event';
CREATE INDEX outbox_events ON outbox (subject) WHERE kind = 'event';
CREATE INDEX outbox_due ON outbox (kind, account, next_at)
    WHERE dead_at IS NULL AND lease IS NULL AND blocked = 0;
CREATE INDEX outbox_leased ON outbox (kind, account, next_at) WHERE lease IS NOT NULL;
CREATE INDEX outbox_dead_events ON outbox (subject) WHERE kind = 'event' AND dead_at IS NOT NULL;
CREATE INDEX outbox_blocked ON outbox (subject) WHERE blocked = 1;
CREATE INDEX outbox_dead ON outbox (kind) WHERE dead_at IS NOT NULL;

DROP TABLE event_cursors;
DROP TABLE event_log;
DROP TABLE events;
