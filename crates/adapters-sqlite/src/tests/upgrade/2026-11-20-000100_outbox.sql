-- In the order of their ids, from 1: an effect that was asked for twice, an event that failed
-- once, the next event of its posting, an effect that was given up, and one that is leased.

INSERT INTO outbox
    (kind, subject, generation, attempts, next_at, lease,
     first_failed_at, last_error, dead_at, created_at,
     event_name, source_identifier, occurred_at)
VALUES
    ('enrich', x'01900000000070008000000000000102', 2, 0, 1772366400123456, NULL,
     NULL, NULL, NULL, 1772366400123456,
     NULL, NULL, NULL),
    ('event', x'01900000000070008000000000000101', 1, 1, 1772366460123456, NULL,
     1772366400123456, 'no listener', NULL, 1772366400123456,
     'JobPostingCreated', 'förlag/1 100%', 1772366400123456),
    ('event', x'01900000000070008000000000000101', 1, 0, 1772370000123456, NULL,
     NULL, NULL, NULL, 1772370000123456,
     'JobPostingApproved', 'förlag/1 100%', 1772370000123456),
    ('enrich', x'01900000000070008000000000000104', 1, 7, 1772370000123456, NULL,
     1772366400123456, 'no listener', 1772370000123456, 1772366400123456,
     NULL, NULL, NULL),
    ('enrich', x'01900000000070008000000000000103', 1, 1, 1772366520123456, x'01900000000070008000000000000300',
     NULL, NULL, NULL, 1772366400123456,
     NULL, NULL, NULL);
