-- An endpoint with everything set, and one with as little as can be.
INSERT INTO webhook_endpoints
    (id, owner, created_at, version, url, names, prefixes, include_posting, description,
     state, state_reason, secret, previous_secret, previous_secret_until, updated_at,
     written_in, number, last_success_at, failing_since, silent_rounds, quiet_until,
     attempts, holder, leased_until)
VALUES
    (x'01900000000070008000000000000501', 'client:01900000-0000-7000-8000-000000000201',
     1772366400123456, 3, 'https://receiver.example/hooks?a=b',
     '["JobPostingCreated","CompanyUpdated"]', '["acme-","ü\"\\,%_"]', true, 'Board ''A''',
     'disabled', 'It said so.',
     x'0707070707070707070707070707070707070707070707070707070707070707',
     x'080808080808080808080808080808080808080808080808',
     1772370000123456, 1772373600123456,
     7, 2, 1772366400123456, 1772370000123456, 2,
     1772373600123456, 102,
     x'01900000000070008000000000000301', 1772377200123456),
    (x'01900000000070008000000000000502', 'operator',
     1772366400123456, 1, 'https://other.example/', NULL, '[]', false, NULL,
     'active', NULL, x'000000000000000000000000000000000000000000000000', NULL,
     NULL, 1772366400123456,
     0, 0, NULL, NULL, 0,
     NULL, 0,
     NULL, NULL);

-- An event that failed, and one that waits behind it.
INSERT INTO webhook_waiting
    (endpoint, written_in, number, name, subject, attempts, next_at, last_error, is_silent)
VALUES
    (x'01900000000070008000000000000501', 7, 1, 'JobPostingRejected',
     x'01900000000070008000000000000104', 2, 1772380800123456, 'no answer', true),
    (x'01900000000070008000000000000501', 7, 2, 'JobPostingUpdated',
     x'01900000000070008000000000000104', 0, NULL, NULL, false);

-- An attempt that was answered, and a later one that was not.
INSERT INTO webhook_deliveries
    (endpoint, slot, position, at, written_in, number, name, attempt, status, duration_ms, error)
VALUES
    (x'01900000000070008000000000000501', 1, 101, 1772370000123456, 7, 1,
     'JobPostingRejected', 1, 500, 12, 'answered 500'),
    (x'01900000000070008000000000000501', 2, 102, 1772366400123456, 7, 1,
     'JobPostingRejected', 2, NULL, 15000, 'no answer');
