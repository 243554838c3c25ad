-- Work under way begins traces of its own.
ALTER TABLE events DROP COLUMN trace_parent;
ALTER TABLE outbox DROP COLUMN trace_parent;
