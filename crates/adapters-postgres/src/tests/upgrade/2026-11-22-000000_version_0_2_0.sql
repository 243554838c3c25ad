-- One posting with everything set, one with as little as can be, and one that was taken down.
INSERT INTO companies (id, name, website, logo_path, created_at, updated_at) VALUES
    ('47457ba4-8860-573d-b83f-2cebee473257', 'Acme', 'https://acme.example/careers',
     'logos/acme.png', '2026-03-01 12:00:00.123456+00', '2026-03-01 13:00:00.123456+00'),
    ('f41c99de-7fe0-5680-9e9f-8003322b1388', 'Bolt', 'https://bolt.example',
     NULL, '2026-03-01 12:00:00.123456+00', '2026-03-01 12:00:00.123456+00');

INSERT INTO postings
    (id, source_identifier, version, status, status_reason, moderated, company_id,
     enriched_hash,
     approved_hash,
     is_featured, published_at, expire_at, expired_at, created_at, updated_at,
     title, employment_types, location_types, location_country_code, location_city,
     salary_min, salary_max, salary_currency_code, salary_period,
     application_email, application_url, expiration_reason,
     description_digest,
     metadata, raw_description)
VALUES
    ('01900000-0000-7000-8000-000000000101', 'förlag/1 100%', 3, 'approved', 'Looks fine.', true, '47457ba4-8860-573d-b83f-2cebee473257',
     '\xa5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5',
     '\x0000000000000000000000000000000000000000000000000000000000000000',
     true, '2026-03-01 13:00:00.123456+00', '2026-03-02 12:00:00.123456+00', NULL, '2026-03-01 12:00:00.123456+00', '2026-03-01 14:00:00.123456+00',
     'Engineer', '{full-time,internship}', '{remote,on-site}', 'SE', 'Göteborg',
     30000, 9007199254740991, 'SEK', 'monthly',
     'jobs@acme.example', 'https://acme.example/apply?a=1&b=2', NULL,
     '\xf4e4cf229eb1ba04467cb47109ad135a3aebd1959c3c80d30621ba97d45a3bab',
     '{"b":1,"a":"ü","b":2.50}', '<p>Build ''things'' at Åcme.</p>'),
    ('01900000-0000-7000-8000-000000000102', 'bare', 1, 'PendingEnrichment', NULL, false, 'f41c99de-7fe0-5680-9e9f-8003322b1388',
     NULL,
     NULL,
     false, NULL, NULL, NULL, '2026-03-01 12:00:00.123456+00', '2026-03-01 12:00:00.123456+00',
     'Engineer', '{}', '{}', NULL, NULL, NULL, NULL, NULL, NULL,
     'jobs@company.example', NULL, NULL,
     '\x8cbd76191b8d19c86d99579dbef4181a84a1af172382ebeef1a5a237a145012d',
     NULL, '<p>Build things.</p>'),
    ('01900000-0000-7000-8000-000000000103', 'expired', 2, 'expired', 'filled', false, 'f41c99de-7fe0-5680-9e9f-8003322b1388',
     NULL,
     NULL,
     false, NULL, NULL, '2026-03-01 13:00:00.123456+00', '2026-03-01 12:00:00.123456+00', '2026-03-01 13:00:00.123456+00',
     'Engineer', '{}', '{}', NULL, NULL, NULL, NULL, NULL, NULL,
     'jobs@company.example', NULL, 'filled',
     '\x8cbd76191b8d19c86d99579dbef4181a84a1af172382ebeef1a5a237a145012d',
     NULL, '<p>Build things.</p>');

INSERT INTO posting_texts (posting_id, latitude, longitude, markdown, redacted_markdown) VALUES
    ('01900000-0000-7000-8000-000000000101', 57.70716, 11.96679,
     'Build ''things'' at Åcme.', 'Build ''things'' at ….');

INSERT INTO posting_history (posting_id, version, step, at, status, reason, actor) VALUES
    ('01900000-0000-7000-8000-000000000101', 1, 0, '2026-03-01 12:00:00.123456+00', 'PendingEnrichment', NULL,
     'client:01900000-0000-7000-8000-000000000201'),
    ('01900000-0000-7000-8000-000000000101', 2, 0, '2026-03-01 13:00:00.123456+00', 'approved', NULL, 'enricher'),
    ('01900000-0000-7000-8000-000000000101', 3, 0, '2026-03-01 14:00:00.123456+00', 'approved', 'Looks fine.', 'operator'),
    ('01900000-0000-7000-8000-000000000102', 1, 0, '2026-03-01 12:00:00.123456+00', 'PendingEnrichment', NULL,
     'client:01900000-0000-7000-8000-000000000201'),
    ('01900000-0000-7000-8000-000000000103', 1, 0, '2026-03-01 12:00:00.123456+00', 'PendingEnrichment', NULL,
     'client:01900000-0000-7000-8000-000000000201'),
    ('01900000-0000-7000-8000-000000000103', 2, 0, '2026-03-01 13:00:00.123456+00', 'expired', 'filled', 'lifetime');

-- One client that works, and one that was revoked.
INSERT INTO clients (id, name, scopes, secret_digest, created_at, revoked_at) VALUES
    ('01900000-0000-7000-8000-000000000201', 'Scraper', '{job-postings:write,job-postings:read}',
     '\x0707070707070707070707070707070707070707070707070707070707070707',
     '2026-03-01 12:00:00.123456+00', NULL),
    ('01900000-0000-7000-8000-000000000202', 'Membership ''old''', '{newsletter-subscribers:write}',
     '\x0000000000000000000000000000000000000000000000000000000000000000',
     '2026-03-01 13:00:00.123456+00', '2026-03-01 14:00:00.123456+00');

-- A subscriber with everything set, one with as little as can be, and an address that is to go.
INSERT INTO subscribers
    (id, version, email, reported_at, as_of, name, country,
     membership_plan_category, membership_status, membership_expires_at,
     status, suppressed_by, suppressed_in, suppressed_at, suppressed_because, reinstated_at,
     departure, moved_to,
     old_id, old_is_quiet, old_is_withdrawn, new_id, new_is_quiet, new_is_withdrawn,
     migrated_at, migration_source, migration_arrived, migration_shown_in, migration_token,
     told,
     told_at, updated_at)
VALUES
    ('01900000-0000-7000-8000-000000000401', 3, 'o''brien+news@xn--exmple-cua.com', '2026-03-01 12:00:00.123456+00', '2026-03-01 11:00:00.123456+00', 'Åsa ''Ann'' O"Brien', 'Norway',
     'individual', 'canceled', '2026-12-31',
     'unsubscribed', 'webhook', 'old', '2026-03-01 14:00:00.123456+00', 'signed with ''one''', '2026-03-01 10:00:00.123456+00',
     NULL, NULL,
     '31', true, false, '32', false, true,
     '2026-03-01 13:00:00.123456+00', 'email_confirmation', true, 'both', '0000000000000000000000000000000000000000401',
     '\xa5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5',
     '2026-03-01 13:00:00.123456+00', '2026-03-01 14:00:00.123456+00'),
    ('01900000-0000-7000-8000-000000000402', 1, 'bare@example.com', NULL, NULL, NULL, NULL,
     NULL, NULL, NULL,
     'active', NULL, NULL, NULL, NULL, NULL,
     NULL, NULL,
     NULL, false, false, NULL, false, false,
     NULL, NULL, false, NULL, '0000000000000000000000000000000000000000402',
     NULL,
     NULL, '2026-03-01 12:00:00.123456+00'),
    ('01900000-0000-7000-8000-000000000403', 1, 'left@example.com', NULL, NULL, NULL, NULL,
     NULL, NULL, NULL,
     'bounced', NULL, NULL, NULL, NULL, NULL,
     'moved', '01900000-0000-7000-8000-000000000402',
     NULL, false, false, NULL, false, false,
     NULL, NULL, false, NULL, '0000000000000000000000000000000000000000403',
     NULL,
     NULL, '2026-03-01 12:00:00.123456+00');

-- What is remembered of a person who was erased.
UPDATE erasure_keys
    SET key = '\xa5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5';
INSERT INTO erased_suppressions (hash, status, at) VALUES
    ('\xb9e4b39687e589449f1e4ad97710ede6c6a1a7a6dcd642708faabb747ab56464', 'bounced', '2026-03-01 12:00:00.123456+00');

-- The old account is leased, and pauses.
INSERT INTO account_leases (account, holder, ends_at) VALUES
    ('old', '01900000-0000-7000-8000-000000000405', '2026-03-01 13:00:00.123456+00');
INSERT INTO account_states (account, paused_until, pause_reason, reconciled_at) VALUES
    ('old', '2026-03-01 13:00:00.123456+00', 'old account: 429', '2026-03-01 12:00:00.123456+00');

-- In the order of their ids, from 1: an enrichment that was asked for twice, an event that failed
-- once, the next event of its posting, an event that was given up, the one that waits behind it,
-- and a sync whose worker died.
INSERT INTO outbox
    (kind, subject, account, generation, attempts, next_at, lease, blocked,
     first_failed_at, last_error, dead_at, created_at, event_name, source_identifier, occurred_at)
VALUES
    ('enrich', '01900000-0000-7000-8000-000000000102', NULL, 2, 0, '2026-03-01 12:00:00.123456+00', NULL, false,
     NULL, NULL, NULL, '2026-03-01 12:00:00.123456+00', NULL, NULL, NULL),
    ('event', '01900000-0000-7000-8000-000000000101', NULL, 1, 1, '2026-03-01 12:01:00.123456+00', NULL, false,
     '2026-03-01 12:00:00.123456+00', 'no listener', NULL, '2026-03-01 12:00:00.123456+00', 'JobPostingCreated', 'förlag/1 100%', '2026-03-01 12:00:00.123456+00'),
    ('event', '01900000-0000-7000-8000-000000000101', NULL, 1, 0, '2026-03-01 13:00:00.123456+00', NULL, false,
     NULL, NULL, NULL, '2026-03-01 13:00:00.123456+00', 'JobPostingApproved', 'förlag/1 100%', '2026-03-01 13:00:00.123456+00'),
    ('event', '01900000-0000-7000-8000-000000000401', NULL, 1, 7, '2026-03-01 13:00:00.123456+00', NULL, false,
     '2026-03-01 12:00:00.123456+00', 'no listener', '2026-03-01 13:00:00.123456+00', '2026-03-01 12:00:00.123456+00', 'IndividualMembershipUpdated', NULL, '2026-03-01 12:00:00.123456+00'),
    ('event', '01900000-0000-7000-8000-000000000401', NULL, 1, 0, '2026-03-01 12:00:00.123456+00', NULL, true,
     NULL, NULL, NULL, '2026-03-01 12:00:00.123456+00', 'IndividualMembershipUpdated', NULL, '2026-03-01 12:00:00.123456+00'),
    ('sync', '01900000-0000-7000-8000-000000000401', 'new', 1, 1, '2026-03-01 12:02:00.123456+00', '01900000-0000-7000-8000-000000000300', false,
     NULL, NULL, NULL, '2026-03-01 12:00:00.123456+00', NULL, NULL, NULL);

-- What an operator did.
INSERT INTO audit (id, at, operator, action, subject, details) VALUES
    ('01900000-0000-7000-8000-000000000408', '2026-03-01 12:00:00.123456+00', 'ann', 'subscribers.suppress', '01900000-0000-7000-8000-000000000401',
     '{"reason":"asked by ''phone''"}');

-- A draft, and one that a worker gets at the moment.
INSERT INTO drafts (key, holder, reserved_until, used_at, draft) VALUES
    ('\xa5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5', NULL, NULL, '2026-02-27 12:00:00.123456+00',
     '{"markdown":"Bygg ''saker'' på Åcme.","verdict":"approve"}'),
    ('\x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a', '01900000-0000-7000-8000-000000000501', '2026-03-01 13:00:00.123456+00', '2026-03-01 12:00:00.123456+00',
     NULL);
