-- Traces that go on after a commit. A nullable column is added without a look at the rows.

ALTER TABLE outbox ADD COLUMN trace_parent text COLLATE "C";
ALTER TABLE events ADD COLUMN trace_parent text COLLATE "C";

COMMENT ON COLUMN outbox.trace_parent IS
    'The trace that the task belongs to, as the header traceparent has it; NULL if it is not traced.';
COMMENT ON COLUMN events.trace_parent IS
    'The trace of the event''s cause, as the header traceparent has it; NULL if it is not traced.';
