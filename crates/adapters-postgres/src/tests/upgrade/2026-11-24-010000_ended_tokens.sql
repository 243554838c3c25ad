-- A client whose tokens were ended.
INSERT INTO clients (id, created_at, name, scopes, tokens_from)
VALUES
    ('01900000-0000-7000-8000-000000000204', '2026-03-01 12:00:00.123456+00', 'Ended',
     '{job-postings:read}', '2026-03-01 13:00:01+00');
