-- The program of that time knows neither these kinds nor these events.
DELETE FROM outbox
    WHERE kind IN ('sync', 'migrate', 'withdraw') OR (kind = 'event' AND source_identifier IS NULL);

DROP INDEX outbox_due;
DROP INDEX outbox_leased;

ALTER TABLE outbox
    DROP CONSTRAINT outbox_source_identifier_check,
    DROP COLUMN account;

ALTER TABLE outbox
    ADD CONSTRAINT outbox_check2 CHECK ((kind = 'event') = (source_identifier IS NOT NULL));

CREATE INDEX outbox_due ON outbox (kind, next_at, id) WHERE dead_at IS NULL;

COMMENT ON COLUMN outbox.id IS
    'Numbers the rows; those of the events of one posting in the order of its commits.';
COMMENT ON COLUMN outbox.kind IS '''event'', or the kind of effect (''enrich'').';
COMMENT ON COLUMN outbox.subject IS 'Whom it is for: with both kinds of today a posting.';
COMMENT ON COLUMN outbox.source_identifier IS
    'Of events only: the posting''s id in the world it comes from.';
