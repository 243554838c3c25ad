-- A kind may have several queues, as syncs have two for each account of the e-mail provider, and
-- what happens to subscribers is an event too.

ALTER TABLE outbox
    -- Not listed here either.
    ADD COLUMN account text COLLATE "C" CHECK (account <> ''),
    -- The one about the source identifier: only postings have one.
    DROP CONSTRAINT outbox_check2;

ALTER TABLE outbox
    ADD CONSTRAINT outbox_source_identifier_check
        CHECK (kind = 'event' OR source_identifier IS NULL);

COMMENT ON COLUMN outbox.id IS
    'Numbers the rows; those of the events of one subject in the order of its commits.';
COMMENT ON COLUMN outbox.kind IS
    '''event'', or the kind of effect, as the context that owns it declares it.';
COMMENT ON COLUMN outbox.subject IS
    'What it is for: a posting, a company or a subscriber, by its kind or the name of its event.';
COMMENT ON COLUMN outbox.account IS
    'The lane of its kind that was asked for last, of kinds that have several: of ''sync'' the provider''s account. One that ends with -bulk waits behind all others.';
COMMENT ON COLUMN outbox.source_identifier IS
    'Of the events of postings only: the posting''s id in the world it comes from.';

-- What workers ask for: the tasks of a queue that are due, the longest due first; and those whose
-- lease ended, likewise. A query uses them only if it repeats expression and conditions literally.
-- A task is in one of them or in neither, so a claim costs one entry.
DROP INDEX outbox_due;
CREATE INDEX outbox_due ON outbox (kind, coalesce(account, ''), next_at, id)
    WHERE dead_at IS NULL AND lease IS NULL AND NOT blocked;
CREATE INDEX outbox_leased ON outbox (kind, coalesce(account, ''), next_at, id)
    WHERE lease IS NOT NULL;
