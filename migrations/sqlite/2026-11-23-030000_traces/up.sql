-- Traces that go on after a commit. A nullable column is added without a look at the rows.

-- The trace that the task belongs to, as the header traceparent has it; NULL if it is not traced.
ALTER TABLE outbox ADD COLUMN trace_parent TEXT;
-- Likewise, of the event's cause.
ALTER TABLE events ADD COLUMN trace_parent TEXT;
