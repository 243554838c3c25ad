-- In the order of their ids, from 1: an effect that was asked for twice, an event that failed
-- once, the next event of its posting, an effect that was given up, and one that is leased.

INSERT INTO outbox
    (kind, subject, generation, attempts, next_at, lease,
     first_failed_at, last_error, dead_at, created_at,
     event_name, source_identifier, occurred_at)
VALUES
    ('enrich', '01900000-0000-7000-8000-000000000102', 2, 0, '2026-03-01 12:00:00.123456+00', NULL,
     NULL, NULL, NULL, '2026-03-01 12:00:00.123456+00',
     NULL, NULL, NULL),
    ('event', '01900000-0000-7000-8000-000000000101', 1, 1, '2026-03-01 12:01:00.123456+00', NULL,
     '2026-03-01 12:00:00.123456+00', 'no listener', NULL, '2026-03-01 12:00:00.123456+00',
     'JobPostingCreated', 'förlag/1 100%', '2026-03-01 12:00:00.123456+00'),
    ('event', '01900000-0000-7000-8000-000000000101', 1, 0, '2026-03-01 13:00:00.123456+00', NULL,
     NULL, NULL, NULL, '2026-03-01 13:00:00.123456+00',
     'JobPostingApproved', 'förlag/1 100%', '2026-03-01 13:00:00.123456+00'),
    ('enrich', '01900000-0000-7000-8000-000000000104', 1, 7, '2026-03-01 13:00:00.123456+00', NULL,
     '2026-03-01 12:00:00.123456+00', 'no listener', '2026-03-01 13:00:00.123456+00', '2026-03-01 12:00:00.123456+00',
     NULL, NULL, NULL),
    ('enrich', '01900000-0000-7000-8000-000000000103', 1, 1, '2026-03-01 12:02:00.123456+00', '01900000-0000-7000-8000-000000000300',
     NULL, NULL, NULL, '2026-03-01 12:00:00.123456+00',
     NULL, NULL, NULL);
