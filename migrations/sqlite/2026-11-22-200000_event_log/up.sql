-- Events get a log of their own, which readers follow by cursor. Until now each was a task of the
-- outbox, deleted once it was delivered.

-- What happened, written in the commit that caused it and never changed. Readers go by the key
-- alone: another index would cost every commit more than it would save.
CREATE TABLE events (
    -- In the order of the commits, and never used again: it is the place of the event in the log.
    number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    -- When it happened.
    at INTEGER NOT NULL,
    -- As the context that raises it declares it. Names are not listed here, because a new one would
    -- make it necessary to build the table anew.
    name TEXT NOT NULL CHECK (name <> ''),
    -- The UUID of what it is about: a posting, a company or a subscriber. No foreign key: what
    -- happened stays true.
    subject BLOB NOT NULL CHECK (length(subject) = 16),
    -- Of a posting, as the commit left it. All unset of another subject; the reason may be unset.
    source_identifier TEXT CHECK (source_identifier <> ''),
    version INTEGER CHECK (version >= 1),
    status TEXT CHECK (status IN ('PendingEnrichment', 'approved', 'rejected', 'expired')),
    status_reason TEXT,
    -- Likewise of a company. The path may be unset.
    company_name TEXT,
    company_website TEXT,
    company_logo_path TEXT,
    CHECK ((source_identifier IS NULL) = (version IS NULL)),
    CHECK ((source_identifier IS NULL) = (status IS NULL)),
    CHECK (source_identifier IS NOT NULL OR status_reason IS NULL),
    CHECK (source_identifier IS NULL OR company_name IS NULL),
    CHECK ((company_name IS NULL) = (company_website IS NULL)),
    CHECK (company_name IS NOT NULL OR company_logo_path IS NULL)
) STRICT;

-- What is known of the log as a whole, in one row.
CREATE TABLE event_log (
    is_the_one INTEGER NOT NULL PRIMARY KEY CHECK (is_the_one = 1),
    -- The number of the last event that was deleted: a reader whose cursor is before it has missed
    -- events.
    deleted_number INTEGER NOT NULL CHECK (deleted_number >= 0)
) STRICT;

INSERT INTO event_log (is_the_one, deleted_number) VALUES (1, 0);

-- How far the parts of the program that work through the log have come.
CREATE TABLE event_cursors (
    consumer TEXT NOT NULL PRIMARY KEY CHECK (consumer <> ''),
    -- The place of the last event that the consumer is done with. A file has one writer at a time,
    -- so numbers alone are the order, and the other part of a place is 0.
    written_in INTEGER NOT NULL CHECK (written_in >= 0),
    number INTEGER NOT NULL CHECK (number >= 0)
) STRICT, WITHOUT ROWID;

-- The events that wait to be delivered, and those that were given up, begin the log, in their
-- order. What they say of a posting or a company is how it stands now.
INSERT INTO events
    (at, name, subject, source_identifier, version, status, status_reason,
     company_name, company_website, company_logo_path)
SELECT
    outbox.occurred_at, outbox.event_name, outbox.subject,
    postings.source_identifier, postings.version, postings.status, postings.status_reason,
    companies.name, companies.website, companies.logo_path
FROM outbox
LEFT JOIN postings ON postings.id = outbox.subject
LEFT JOIN companies ON companies.id = outbox.subject
WHERE outbox.kind = 'event'
ORDER BY outbox.id;

-- The outbox without events and their columns. SQLite drops no column that a check names, so the
-- table is built anew.
DROP INDEX outbox_effects;
DROP INDEX outbox_events;
DROP INDEX outbox_due;
DROP INDEX outbox_leased;
DROP INDEX outbox_dead_events;
DROP INDEX outbox_blocked;
DROP INDEX outbox_dead;
ALTER TABLE outbox RENAME TO outbox_with_events;

-- What has to happen outside the database, written in the commit that makes it necessary.
--
-- A row is an effect: a key without data, whose handler loads the current state. There is at most
-- one row for each. A finished task is deleted.
CREATE TABLE outbox (
    -- In the order written, and never used again: an operator may name a row that is gone.
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    -- The kind of effect, as the context that owns it declares it. Kinds and their lanes are not
    -- listed here, because a new one would make it necessary to build the table anew.
    kind TEXT NOT NULL CHECK (kind <> ''),
    -- The UUID of what it is for: a posting or a subscriber. No foreign key: kinds differ in what
    -- they are for.
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
    -- The first failed attempt since it was asked for anew.
    first_failed_at INTEGER,
    last_error TEXT,
    -- Given up then; it stays until an operator revives it or it is asked for again.
    dead_at INTEGER,
    created_at INTEGER NOT NULL,
    CHECK (dead_at IS NULL OR lease IS NULL),
    CHECK (lost = 0 OR lease IS NOT NULL)
) STRICT;

-- Numbers that were given are not given again, though their rows are gone.
INSERT INTO sqlite_sequence (name, seq)
    SELECT 'outbox', seq FROM sqlite_sequence WHERE name = 'outbox_with_events';

INSERT INTO outbox
    (id, kind, subject, account, generation, attempts, next_at, lease, lost, first_failed_at,
     last_error, dead_at, created_at)
SELECT
    id, kind, subject, account, generation, attempts, next_at, lease, lost, first_failed_at,
    last_error, dead_at, created_at
FROM outbox_with_events
WHERE kind <> 'event'
ORDER BY id;

DROP TABLE outbox_with_events;

-- One row for each effect.
CREATE UNIQUE INDEX outbox_effects ON outbox (kind, subject);

-- What workers ask for: the tasks of a queue that are due, the longest due first; and those whose
-- lease ended, likewise. A task is in one of them or in neither, so a claim costs one entry.
CREATE INDEX outbox_due ON outbox (kind, account, next_at)
    WHERE dead_at IS NULL AND lease IS NULL;
CREATE INDEX outbox_leased ON outbox (kind, account, next_at) WHERE lease IS NOT NULL;

-- What operators ask for.
CREATE INDEX outbox_dead ON outbox (kind) WHERE dead_at IS NOT NULL;

-- SHA-256 of what enrichment made of the posting, so that a result that brings nothing new raises
-- no event. Unset before the first result, and of those from before this column. It comes last,
-- behind the large text, because anywhere else every row would have to be written anew.
ALTER TABLE postings ADD COLUMN texts_digest BLOB CHECK (length(texts_digest) = 32);
