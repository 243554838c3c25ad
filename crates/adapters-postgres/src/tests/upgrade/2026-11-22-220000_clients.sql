-- A client with everything set, its secrets and its activity.
INSERT INTO clients
    (id, created_at, version, name, scopes, prefixes, requests_per_minute, revoked_at, last_push_at)
VALUES
    ('01900000-0000-7000-8000-000000000203', '2026-03-01 12:00:00.123456+00', 4, 'Many ''prefixes''',
     '{job-postings:read,webhooks:manage}', '["acme-","ü\"\\,%_"]', 4294967295,
     '2026-03-01 16:00:00.123456+00', '2026-03-01 13:00:00.123456+00');

INSERT INTO client_secrets (client_id, digest, created_at, expires_at, last_used_at) VALUES
    ('01900000-0000-7000-8000-000000000203',
     '\x0808080808080808080808080808080808080808080808080808080808080808',
     '2026-03-01 13:00:00.123456+00', NULL, NULL),
    ('01900000-0000-7000-8000-000000000203',
     '\x0909090909090909090909090909090909090909090909090909090909090909',
     '2026-03-01 12:00:00.123456+00', '2026-03-01 14:00:00.123456+00', '2026-03-01 15:00:00.123456+00');

INSERT INTO client_days
    (client_id, date, created, updated, unchanged, expired, reopened, refused, approved, rejected)
VALUES
    ('01900000-0000-7000-8000-000000000203', '2026-03-01', 1, 2, 3000000000, 4, 5, 6, 7, 8);

INSERT INTO client_refusals (client_id, id, at, identifier, status, message, errors) VALUES
    ('01900000-0000-7000-8000-000000000203', '01900000-0000-7000-8000-000000000601',
     '2026-03-01 13:00:00.123456+00', 'jöb/1', 422, 'It''s wrong.', NULL),
    ('01900000-0000-7000-8000-000000000203', '01900000-0000-7000-8000-000000000602',
     '2026-03-01 13:00:00.123456+00', 'jöb/1', 422, 'It''s wrong.', '{"title":["is ''bad''"]}');

-- A posting that says who created it, and who changed it last.
INSERT INTO postings
    (id, source_identifier, version, status, status_reason, moderated, company_id,
     enriched_hash, approved_hash, texts_digest,
     is_featured, published_at, expire_at, expired_at, created_at, updated_at,
     created_by, updated_by,
     title, employment_types, location_types, location_country_code, location_city,
     salary_min, salary_max, salary_currency_code, salary_period,
     application_email, application_url, expiration_reason,
     description_digest,
     metadata, raw_description)
VALUES
    ('01900000-0000-7000-8000-000000000105', 'written', 1, 'PendingEnrichment', NULL, false, 'f41c99de-7fe0-5680-9e9f-8003322b1388',
     NULL, NULL, NULL,
     false, NULL, NULL, NULL, '2026-03-01 12:00:00.123456+00', '2026-03-01 12:00:00.123456+00',
     'client:01900000-0000-7000-8000-000000000203', 'operator',
     'Engineer', '{}', '{}', NULL, NULL, NULL, NULL, NULL, NULL,
     'jobs@company.example', NULL, NULL,
     '\x8cbd76191b8d19c86d99579dbef4181a84a1af172382ebeef1a5a237a145012d',
     NULL, '<p>Build things.</p>');
