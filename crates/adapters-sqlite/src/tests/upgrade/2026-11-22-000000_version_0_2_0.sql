-- One posting with everything set, one with as little as can be, and one that was taken down.
INSERT INTO companies (id, name, website, logo_path, created_at, updated_at) VALUES
    (x'47457ba48860573db83f2cebee473257', 'Acme', 'https://acme.example/careers',
     'logos/acme.png', 1772366400123456, 1772370000123456),
    (x'f41c99de7fe056809e9f8003322b1388', 'Bolt', 'https://bolt.example',
     NULL, 1772366400123456, 1772366400123456);

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
    (x'01900000000070008000000000000101', 'förlag/1 100%', 3, 'approved', 'Looks fine.', true, x'47457ba48860573db83f2cebee473257',
     x'a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5',
     x'0000000000000000000000000000000000000000000000000000000000000000',
     true, 1772370000123456, 1772452800123456, NULL, 1772366400123456, 1772373600123456,
     'Engineer', 'full-time,internship', 'remote,on-site', 'SE', 'Göteborg',
     30000, 9007199254740991, 'SEK', 'monthly',
     'jobs@acme.example', 'https://acme.example/apply?a=1&b=2', NULL,
     x'f4e4cf229eb1ba04467cb47109ad135a3aebd1959c3c80d30621ba97d45a3bab',
     '{"b":1,"a":"ü","b":2.50}', '<p>Build ''things'' at Åcme.</p>'),
    (x'01900000000070008000000000000102', 'bare', 1, 'PendingEnrichment', NULL, false, x'f41c99de7fe056809e9f8003322b1388',
     NULL,
     NULL,
     false, NULL, NULL, NULL, 1772366400123456, 1772366400123456,
     'Engineer', '', '', NULL, NULL, NULL, NULL, NULL, NULL,
     'jobs@company.example', NULL, NULL,
     x'8cbd76191b8d19c86d99579dbef4181a84a1af172382ebeef1a5a237a145012d',
     NULL, '<p>Build things.</p>'),
    (x'01900000000070008000000000000103', 'expired', 2, 'expired', 'filled', false, x'f41c99de7fe056809e9f8003322b1388',
     NULL,
     NULL,
     false, NULL, NULL, 1772370000123456, 1772366400123456, 1772370000123456,
     'Engineer', '', '', NULL, NULL, NULL, NULL, NULL, NULL,
     'jobs@company.example', NULL, 'filled',
     x'8cbd76191b8d19c86d99579dbef4181a84a1af172382ebeef1a5a237a145012d',
     NULL, '<p>Build things.</p>');

INSERT INTO posting_texts (posting_id, latitude, longitude, markdown, redacted_markdown) VALUES
    (x'01900000000070008000000000000101', 57.70716, 11.96679,
     'Build ''things'' at Åcme.', 'Build ''things'' at ….');

INSERT INTO posting_history (posting_id, version, step, at, status, reason, actor) VALUES
    (x'01900000000070008000000000000101', 1, 0, 1772366400123456, 'PendingEnrichment', NULL,
     'client:01900000-0000-7000-8000-000000000201'),
    (x'01900000000070008000000000000101', 2, 0, 1772370000123456, 'approved', NULL, 'enricher'),
    (x'01900000000070008000000000000101', 3, 0, 1772373600123456, 'approved', 'Looks fine.', 'operator'),
    (x'01900000000070008000000000000102', 1, 0, 1772366400123456, 'PendingEnrichment', NULL,
     'client:01900000-0000-7000-8000-000000000201'),
    (x'01900000000070008000000000000103', 1, 0, 1772366400123456, 'PendingEnrichment', NULL,
     'client:01900000-0000-7000-8000-000000000201'),
    (x'01900000000070008000000000000103', 2, 0, 1772370000123456, 'expired', 'filled', 'lifetime');

-- One client that works, and one that was revoked.
INSERT INTO clients (id, name, scopes, secret_digest, created_at, revoked_at) VALUES
    (x'01900000000070008000000000000201', 'Scraper', 'job-postings:write,job-postings:read',
     x'0707070707070707070707070707070707070707070707070707070707070707',
     1772366400123456, NULL),
    (x'01900000000070008000000000000202', 'Membership ''old''', 'newsletter-subscribers:write',
     x'0000000000000000000000000000000000000000000000000000000000000000',
     1772370000123456, 1772373600123456);

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
    (x'01900000000070008000000000000401', 3, 'o''brien+news@xn--exmple-cua.com', 1772366400123456, 1772362800123456, 'Åsa ''Ann'' O"Brien', 'Norway',
     'individual', 'canceled', '2026-12-31',
     'unsubscribed', 'webhook', 'old', 1772373600123456, 'signed with ''one''', 1772359200123456,
     NULL, NULL,
     '31', true, false, '32', false, true,
     1772370000123456, 'email_confirmation', true, 'both', '0000000000000000000000000000000000000000401',
     x'a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5',
     1772370000123456, 1772373600123456),
    (x'01900000000070008000000000000402', 1, 'bare@example.com', NULL, NULL, NULL, NULL,
     NULL, NULL, NULL,
     'active', NULL, NULL, NULL, NULL, NULL,
     NULL, NULL,
     NULL, false, false, NULL, false, false,
     NULL, NULL, false, NULL, '0000000000000000000000000000000000000000402',
     NULL,
     NULL, 1772366400123456),
    (x'01900000000070008000000000000403', 1, 'left@example.com', NULL, NULL, NULL, NULL,
     NULL, NULL, NULL,
     'bounced', NULL, NULL, NULL, NULL, NULL,
     'moved', x'01900000000070008000000000000402',
     NULL, false, false, NULL, false, false,
     NULL, NULL, false, NULL, '0000000000000000000000000000000000000000403',
     NULL,
     NULL, 1772366400123456);

-- What is remembered of a person who was erased.
UPDATE erasure_keys
    SET key = x'a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5';
INSERT INTO erased_suppressions (hash, status, at) VALUES
    (x'b9e4b39687e589449f1e4ad97710ede6c6a1a7a6dcd642708faabb747ab56464', 'bounced', 1772366400123456);

-- The old account is leased, and pauses.
INSERT INTO account_leases (account, holder, ends_at) VALUES
    ('old', x'01900000000070008000000000000405', 1772370000123456);
INSERT INTO account_states (account, paused_until, pause_reason, reconciled_at) VALUES
    ('old', 1772370000123456, 'old account: 429', 1772366400123456);

-- In the order of their ids, from 1: an enrichment that was asked for twice, an event that failed
-- once, the next event of its posting, an event that was given up, the one that waits behind it,
-- and a sync whose worker died.
INSERT INTO outbox
    (kind, subject, account, generation, attempts, next_at, lease, blocked,
     first_failed_at, last_error, dead_at, created_at, event_name, source_identifier, occurred_at)
VALUES
    ('enrich', x'01900000000070008000000000000102', NULL, 2, 0, 1772366400123456, NULL, false,
     NULL, NULL, NULL, 1772366400123456, NULL, NULL, NULL),
    ('event', x'01900000000070008000000000000101', NULL, 1, 1, 1772366460123456, NULL, false,
     1772366400123456, 'no listener', NULL, 1772366400123456, 'JobPostingCreated', 'förlag/1 100%', 1772366400123456),
    ('event', x'01900000000070008000000000000101', NULL, 1, 0, 1772370000123456, NULL, false,
     NULL, NULL, NULL, 1772370000123456, 'JobPostingApproved', 'förlag/1 100%', 1772370000123456),
    ('event', x'01900000000070008000000000000401', NULL, 1, 7, 1772370000123456, NULL, false,
     1772366400123456, 'no listener', 1772370000123456, 1772366400123456, 'IndividualMembershipUpdated', NULL, 1772366400123456),
    ('event', x'01900000000070008000000000000401', NULL, 1, 0, 1772366400123456, NULL, true,
     NULL, NULL, NULL, 1772366400123456, 'IndividualMembershipUpdated', NULL, 1772366400123456),
    ('sync', x'01900000000070008000000000000401', 'new', 1, 1, 1772366520123456, x'01900000000070008000000000000300', false,
     NULL, NULL, NULL, 1772366400123456, NULL, NULL, NULL);

-- What an operator did.
INSERT INTO audit (id, at, operator, action, subject, details) VALUES
    (x'01900000000070008000000000000408', 1772366400123456, 'ann', 'subscribers.suppress', '01900000-0000-7000-8000-000000000401',
     '{"reason":"asked by ''phone''"}');

-- A draft, and one that a worker gets at the moment.
INSERT INTO drafts (key, holder, reserved_until, used_at, draft) VALUES
    (x'a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5', NULL, NULL, 1772193600123456,
     '{"markdown":"Bygg ''saker'' på Åcme.","verdict":"approve"}'),
    (x'5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a', x'01900000000070008000000000000501', 1772370000123456, 1772366400123456,
     NULL);
