-- The events of the log do not come back as tasks, whether or not their consumers have seen them:
-- let the consumers finish first.

ALTER TABLE outbox
    ADD COLUMN blocked boolean NOT NULL DEFAULT false,
    ADD COLUMN event_name text COLLATE "C",
    ADD COLUMN source_identifier text COLLATE "C",
    ADD COLUMN occurred_at timestamptz,
    ADD CHECK ((kind = 'event') = (event_name IS NOT NULL)),
    ADD CHECK (kind = 'event' OR source_identifier IS NULL),
    ADD CHECK ((kind = 'event') = (occurred_at IS NOT NULL)),
    ADD CHECK (NOT blocked OR (kind = 'event' AND lease IS NULL));

COMMENT ON TABLE outbox IS
    'Effects to bring about and events to deliver. A finished task is deleted.';
COMMENT ON COLUMN outbox.id IS
    'Numbers the rows; those of the events of one subject in the order of its commits.';
COMMENT ON COLUMN outbox.kind IS
    '''event'', or the kind of effect, as the context that owns it declares it.';
COMMENT ON COLUMN outbox.subject IS
    'What it is for: a posting, a company or a subscriber, by its kind or the name of its event.';
COMMENT ON COLUMN outbox.blocked IS
    'Whether an earlier event of the same subject is dead, so that it cannot be claimed.';
COMMENT ON COLUMN outbox.event_name IS 'Of events only: what happened.';
COMMENT ON COLUMN outbox.source_identifier IS
    'Of the events of postings only: the posting''s id in the world it comes from.';
COMMENT ON COLUMN outbox.occurred_at IS 'Of events only: when it happened.';

DROP INDEX outbox_effects;
DROP INDEX outbox_due;
CREATE UNIQUE INDEX outbox_effects ON outbox (kind, subject) WHERE kind <> 'event';
CREATE INDEX outbox_events ON outbox (subject, id) WHERE kind = 'event';
CREATE INDEX outbox_due ON outbox (kind, coalesce(account, ''), next_at, id)
    WHERE dead_at IS NULL AND lease IS NULL AND NOT blocked;
CREATE INDEX outbox_dead_events ON outbox (subject) WHERE kind = 'event' AND dead_at IS NOT NULL;
CREATE INDEX outbox_blocked ON outbox (subject, id) WHERE blocked;

ALTER TABLE postings DROP COLUMN texts_digest;

DROP FUNCTION event_place ();
DROP TABLE event_cursors;
DROP TABLE event_log;
DROP TABLE events;
