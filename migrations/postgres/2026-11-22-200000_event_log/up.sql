-- Events get a log of their own, which readers follow by cursor. Until now each was a task of the
-- outbox, deleted once it was delivered.

CREATE TABLE events (
    written_in bigint NOT NULL CHECK (written_in >= 0),
    number bigint GENERATED ALWAYS AS IDENTITY,
    at timestamptz NOT NULL,
    -- Names are not listed here, so that a new one needs no migration.
    name text COLLATE "C" NOT NULL CHECK (name <> ''),
    -- No foreign key: what happened stays true.
    subject uuid NOT NULL,
    source_identifier text COLLATE "C" CHECK (source_identifier <> ''),
    version bigint CHECK (version >= 1),
    status text COLLATE "C"
        CHECK (status IN ('PendingEnrichment', 'approved', 'rejected', 'expired')),
    status_reason text COMPRESSION lz4,
    company_name text COMPRESSION lz4,
    company_website text COMPRESSION lz4 COLLATE "C",
    company_logo_path text COMPRESSION lz4,
    -- The order of the log, and the only index: another one would cost every commit more than it
    -- would save.
    PRIMARY KEY (written_in, number),
    CHECK ((source_identifier IS NULL) = (version IS NULL)),
    CHECK ((source_identifier IS NULL) = (status IS NULL)),
    CHECK (source_identifier IS NOT NULL OR status_reason IS NULL),
    CHECK (source_identifier IS NULL OR company_name IS NULL),
    CHECK ((company_name IS NULL) = (company_website IS NULL)),
    CHECK (company_name IS NOT NULL OR company_logo_path IS NULL)
);

COMMENT ON TABLE events IS
    'What happened, written in the commit that caused it and never changed. Old rows are deleted.';
COMMENT ON COLUMN events.written_in IS
    'The id of the transaction that wrote it, or of a later one that had ended by then, plus event_log.transaction_offset: the log is in the order of (written_in, number). 0 of those that are older than the log.';
COMMENT ON COLUMN events.number IS 'Numbers the rows in the order written.';
COMMENT ON COLUMN events.at IS 'When it happened.';
COMMENT ON COLUMN events.name IS 'What happened, as the context that raises it declares it.';
COMMENT ON COLUMN events.subject IS
    'The UUID of what it is about: a posting, a company or a subscriber.';
COMMENT ON COLUMN events.source_identifier IS
    'Of postings only: the id in the world it comes from.';
COMMENT ON COLUMN events.version IS 'Of postings only: the version that the commit wrote.';
COMMENT ON COLUMN events.status IS
    'Of postings only, as the commit left it: PendingEnrichment, approved, rejected or expired.';
COMMENT ON COLUMN events.status_reason IS 'Of postings only: the reason of the status, if any.';
COMMENT ON COLUMN events.company_name IS 'Of companies only: the name, as the commit left it.';
COMMENT ON COLUMN events.company_website IS 'Of companies only: the website.';
COMMENT ON COLUMN events.company_logo_path IS 'Of companies only: the path to the logo, if any.';

CREATE TABLE event_log (
    is_the_one boolean NOT NULL PRIMARY KEY CHECK (is_the_one),
    transaction_offset bigint NOT NULL CHECK (transaction_offset >= 0),
    deleted_in bigint NOT NULL CHECK (deleted_in >= 0),
    deleted_number bigint NOT NULL CHECK (deleted_number >= 0)
);

COMMENT ON TABLE event_log IS 'What is known of the event log as a whole.';
COMMENT ON COLUMN event_log.is_the_one IS 'There is one log.';
COMMENT ON COLUMN event_log.transaction_offset IS
    'What is added to ids of transactions. They start low again when a dump is restored in a new server; raised then, so that new events follow old ones.';
COMMENT ON COLUMN event_log.deleted_in IS
    'The written_in of the last event that was deleted: a cursor before it has missed events.';
COMMENT ON COLUMN event_log.deleted_number IS 'Its number.';

INSERT INTO event_log (is_the_one, transaction_offset, deleted_in, deleted_number)
    VALUES (true, 0, 0, 0);

CREATE TABLE event_cursors (
    consumer text COLLATE "C" NOT NULL PRIMARY KEY CHECK (consumer <> ''),
    written_in bigint NOT NULL CHECK (written_in >= 0),
    number bigint NOT NULL CHECK (number >= 0)
)
-- One row for each consumer, updated with every page and never where an index has a column.
WITH (fillfactor = 50);

COMMENT ON TABLE event_cursors IS
    'How far the parts of the program that work through the event log have come.';
COMMENT ON COLUMN event_cursors.consumer IS 'The name of the consumer.';
COMMENT ON COLUMN event_cursors.written_in IS
    'The written_in of the last event that the consumer is done with.';
COMMENT ON COLUMN event_cursors.number IS 'The number of that event.';

-- Neither rewrites the table, nor reads it: what is there need not be checked.
ALTER TABLE postings
    ADD COLUMN texts_digest bytea,
    ADD CONSTRAINT postings_texts_digest_check CHECK (octet_length(texts_digest) = 32) NOT VALID;

COMMENT ON COLUMN postings.texts_digest IS
    'SHA-256 of what enrichment made of it, so that a result that brings nothing new raises no event. Unset before the first result, and of those from before this column.';

-- In a volatile function an expression has a snapshot of its own, taken now and not when the
-- calling statement began.
CREATE FUNCTION event_place() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
BEGIN
    RETURN greatest(
        pg_current_xact_id()::text::bigint,
        pg_snapshot_xmax(pg_current_snapshot())::text::bigint - 1
    );
END
$$;

COMMENT ON FUNCTION event_place () IS
    'The own transaction, or a later one if that has ended: not below the place of any commit that the own one had to wait for. Without the offset.';

-- The events that wait to be delivered, and those that were given up, begin the log, in their
-- order. What they say of a posting or a company is how it stands now.
INSERT INTO events
    (written_in, at, name, subject, source_identifier, version, status, status_reason,
     company_name, company_website, company_logo_path)
SELECT 0, outbox.occurred_at, outbox.event_name, outbox.subject,
    postings.source_identifier, postings.version, postings.status, postings.status_reason,
    companies.name, companies.website, companies.logo_path
FROM outbox
LEFT JOIN postings ON postings.id = outbox.subject
LEFT JOIN companies ON companies.id = outbox.subject
WHERE outbox.kind = 'event'
ORDER BY outbox.id;

DELETE FROM outbox WHERE kind = 'event';

-- Their columns go with the checks and indexes that name them.
DROP INDEX outbox_effects;
DROP INDEX outbox_events;
DROP INDEX outbox_due;
DROP INDEX outbox_dead_events;
ALTER TABLE outbox
    DROP COLUMN blocked,
    DROP COLUMN event_name,
    DROP COLUMN source_identifier,
    DROP COLUMN occurred_at;

COMMENT ON TABLE outbox IS
    'Effects to bring about, one row for each. A finished task is deleted.';
COMMENT ON COLUMN outbox.id IS 'Numbers the rows in the order written.';
COMMENT ON COLUMN outbox.kind IS 'The kind of effect, as the context that owns it declares it.';
COMMENT ON COLUMN outbox.subject IS 'What it is for: a posting or a subscriber, by its kind.';

CREATE UNIQUE INDEX outbox_effects ON outbox (kind, subject);

-- The tasks of a queue that are due, the longest due first. A query uses it only if it repeats
-- expression and conditions literally.
CREATE INDEX outbox_due ON outbox (kind, coalesce(account, ''), next_at, id)
    WHERE dead_at IS NULL AND lease IS NULL;
