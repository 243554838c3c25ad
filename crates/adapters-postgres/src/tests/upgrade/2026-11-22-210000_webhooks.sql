-- An endpoint with everything set, and one with as little as can be.
INSERT INTO webhook_endpoints
    (id, owner, created_at, version, url, names, prefixes, include_posting, description,
     state, state_reason, secret, previous_secret, previous_secret_until, updated_at,
     written_in, number, last_success_at, failing_since, silent_rounds, quiet_until,
     attempts, holder, leased_until)
VALUES
    ('01900000-0000-7000-8000-000000000501', 'client:01900000-0000-7000-8000-000000000201',
     '2026-03-01 12:00:00.123456+00', 3, 'https://receiver.example/hooks?a=b',
     '["JobPostingCreated","CompanyUpdated"]', '["acme-","ü\"\\,%_"]', true, 'Board ''A''',
     'disabled', 'It said so.',
     '\x0707070707070707070707070707070707070707070707070707070707070707',
     '\x080808080808080808080808080808080808080808080808',
     '2026-03-01 13:00:00.123456+00', '2026-03-01 14:00:00.123456+00',
     7, 2, '2026-03-01 12:00:00.123456+00', '2026-03-01 13:00:00.123456+00', 2,
     '2026-03-01 14:00:00.123456+00', 102,
     '01900000-0000-7000-8000-000000000301', '2026-03-01 15:00:00.123456+00'),
    ('01900000-0000-7000-8000-000000000502', 'operator',
     '2026-03-01 12:00:00.123456+00', 1, 'https://other.example/', NULL, '[]', false, NULL,
     'active', NULL, '\x000000000000000000000000000000000000000000000000', NULL,
     NULL, '2026-03-01 12:00:00.123456+00',
     0, 0, NULL, NULL, 0,
     NULL, 0,
     NULL, NULL);

-- An event that failed, and one that waits behind it.
INSERT INTO webhook_waiting
    (endpoint, written_in, number, name, subject, attempts, next_at, last_error, is_silent)
VALUES
    ('01900000-0000-7000-8000-000000000501', 7, 1, 'JobPostingRejected',
     '01900000-0000-7000-8000-000000000104', 2, '2026-03-01 16:00:00.123456+00', 'no answer', true),
    ('01900000-0000-7000-8000-000000000501', 7, 2, 'JobPostingUpdated',
     '01900000-0000-7000-8000-000000000104', 0, NULL, NULL, false);

-- An attempt that was answered, and a later one that was not.
INSERT INTO webhook_deliveries
    (endpoint, slot, position, at, written_in, number, name, attempt, status, duration_ms, error)
VALUES
    ('01900000-0000-7000-8000-000000000501', 1, 101, '2026-03-01 13:00:00.123456+00', 7, 1,
     'JobPostingRejected', 1, 500, 12, 'answered 500'),
    ('01900000-0000-7000-8000-000000000501', 2, 102, '2026-03-01 12:00:00.123456+00', 7, 1,
     'JobPostingRejected', 2, NULL, 15000, 'no answer');
