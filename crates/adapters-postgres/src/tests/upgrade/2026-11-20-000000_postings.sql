-- One posting with everything set, one with as little as can be, and one of each other status.

INSERT INTO companies (id, name, website, logo_path, created_at, updated_at) VALUES
    ('47457ba4-8860-573d-b83f-2cebee473257', 'Acme', 'https://acme.example/careers',
     'logos/acme.png', '2026-03-01 12:00:00.123456+00', '2026-03-01 13:00:00.123456+00'),
    ('f41c99de-7fe0-5680-9e9f-8003322b1388', 'Bolt', 'https://bolt.example',
     NULL, '2026-03-01 12:00:00.123456+00', '2026-03-01 12:00:00.123456+00');

INSERT INTO postings
    (id, source_identifier, version, status, status_reason, moderated,
     company_id, enriched_hash, is_featured,
     published_at, expire_at, expired_at, created_at, updated_at,
     title, employment_types, location_types, location_country_code, location_city,
     salary_min, salary_max, salary_currency_code, salary_period,
     application_email, application_url, expiration_reason, metadata, raw_description)
VALUES
    ('01900000-0000-7000-8000-000000000101', 'förlag/1 100%', 3, 'approved', 'Looks fine.', true,
     '47457ba4-8860-573d-b83f-2cebee473257', '\xa5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5', true,
     '2026-03-01 13:00:00.123456+00', '2026-03-02 12:00:00.123456+00', NULL, '2026-03-01 12:00:00.123456+00', '2026-03-01 14:00:00.123456+00',
     'Engineer', '{full-time,internship}', '{remote,on-site}', 'SE', 'Göteborg',
     30000, 9007199254740991, 'SEK', 'monthly',
     'jobs@acme.example', 'https://acme.example/apply?a=1&b=2', NULL,
     '{"b":1,"a":"ü","b":2.50}', '<p>Build ''things'' at Åcme.</p>'),
    ('01900000-0000-7000-8000-000000000102', 'bare', 1, 'PendingEnrichment', NULL, false,
     'f41c99de-7fe0-5680-9e9f-8003322b1388', NULL, false,
     NULL, NULL, NULL, '2026-03-01 12:00:00.123456+00', '2026-03-01 12:00:00.123456+00',
     'Engineer', '{}', '{}', NULL, NULL, NULL, NULL, NULL, NULL,
     'jobs@company.example', NULL, NULL, NULL, '<p>Build things.</p>'),
    ('01900000-0000-7000-8000-000000000103', 'expired', 2, 'expired', 'filled', false,
     'f41c99de-7fe0-5680-9e9f-8003322b1388', NULL, false,
     NULL, NULL, '2026-03-01 13:00:00.123456+00', '2026-03-01 12:00:00.123456+00', '2026-03-01 13:00:00.123456+00',
     'Engineer', '{}', '{}', NULL, NULL, NULL, NULL, NULL, NULL,
     'jobs@company.example', NULL, 'filled', NULL, '<p>Build things.</p>'),
    ('01900000-0000-7000-8000-000000000104', 'rejected', 2, 'rejected', 'no_content', false,
     'f41c99de-7fe0-5680-9e9f-8003322b1388', '\x0000000000000000000000000000000000000000000000000000000000000000', false,
     NULL, NULL, NULL, '2026-03-01 12:00:00.123456+00', '2026-03-01 13:00:00.123456+00',
     'Engineer', '{}', '{}', NULL, NULL, NULL, NULL, NULL, NULL,
     'jobs@company.example', NULL, NULL, NULL, '<p>Build things.</p>');

INSERT INTO posting_texts (posting_id, latitude, longitude, markdown, redacted_markdown) VALUES
    ('01900000-0000-7000-8000-000000000101', 57.70716, 11.96679,
     'Build ''things'' at Åcme.', 'Build ''things'' at ….'),
    ('01900000-0000-7000-8000-000000000103', NULL, NULL, 'Build things.', '');

INSERT INTO posting_history (posting_id, version, step, at, status, reason, actor) VALUES
    ('01900000-0000-7000-8000-000000000101', 1, 0, '2026-03-01 12:00:00.123456+00', 'PendingEnrichment', NULL,
     'client:01900000-0000-7000-8000-000000000201'),
    ('01900000-0000-7000-8000-000000000101', 2, 0, '2026-03-01 13:00:00.123456+00', 'approved', NULL, 'enricher'),
    ('01900000-0000-7000-8000-000000000101', 3, 0, '2026-03-01 14:00:00.123456+00', 'approved', 'Looks fine.', 'operator'),
    ('01900000-0000-7000-8000-000000000102', 1, 0, '2026-03-01 12:00:00.123456+00', 'PendingEnrichment', NULL,
     'client:01900000-0000-7000-8000-000000000201'),
    ('01900000-0000-7000-8000-000000000103', 1, 0, '2026-03-01 12:00:00.123456+00', 'PendingEnrichment', NULL,
     'client:01900000-0000-7000-8000-000000000201'),
    ('01900000-0000-7000-8000-000000000103', 2, 0, '2026-03-01 13:00:00.123456+00', 'expired', 'filled', 'lifetime'),
    ('01900000-0000-7000-8000-000000000104', 1, 0, '2026-03-01 12:00:00.123456+00', 'PendingEnrichment', NULL,
     'client:01900000-0000-7000-8000-000000000201'),
    ('01900000-0000-7000-8000-000000000104', 2, 0, '2026-03-01 13:00:00.123456+00', 'rejected', 'no_content', 'enricher');
