-- What the e-mail provider is to be told waits in two queues for each of its accounts, and what
-- happens to subscribers is an event too.

ALTER TABLE outbox
    ADD COLUMN account text COLLATE "C"
        CHECK (account IN ('old', 'new', 'old-bulk', 'new-bulk')),
    -- The one about the source identifier: only postings have one.
    DROP CONSTRAINT outbox_check2;

ALTER TABLE outbox
    ADD CONSTRAINT outbox_source_identifier_check
        CHECK (kind = 'event' OR source_identifier IS NULL),
    ADD CONSTRAINT outbox_sync_account_check
        CHECK ((kind = 'sync') = (account IS NOT NULL));

COMMENT ON COLUMN outbox.id IS
    'Numbers the rows; those of the events of one subject in the order of its commits.';
COMMENT ON COLUMN outbox.kind IS
    '''event'', or the kind of effect (''enrich'', ''sync'', ''migrate'', ''withdraw'').';
COMMENT ON COLUMN outbox.subject IS
    'Whom it is for: of ''sync'', ''migrate'', ''withdraw'' and the events of subscribers a subscriber, of the events of companies a company, of all others a posting.';
COMMENT ON COLUMN outbox.account IS
    'Of ''sync'' only: the provider''s account that was asked for last, old or new; old-bulk or new-bulk of one that waits behind all others.';
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
