-- A task and an event that a traced request caused.
INSERT INTO outbox (kind, subject, next_at, created_at, trace_parent) VALUES
    ('traced', '01900000-0000-7000-8000-000000000701', '2026-03-01 12:00:00.123456+00', '2026-03-01 12:00:00.123456+00',
     '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01');
INSERT INTO events (written_in, at, name, subject, trace_parent) VALUES
    (9, '2026-03-01 12:00:00.123456+00', 'Traced', '01900000-0000-7000-8000-000000000701',
     '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00');
