-- A task and an event that a traced request caused.
INSERT INTO outbox (kind, subject, next_at, created_at, trace_parent) VALUES
    ('traced', x'01900000000070008000000000000701', 1772366400123456, 1772366400123456,
     '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01');
INSERT INTO events (at, name, subject, trace_parent) VALUES
    (1772366400123456, 'Traced', x'01900000000070008000000000000701',
     '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00');
