-- One posting with everything set, one with as little as can be, and one of each other status.

INSERT INTO companies (id, name, website, logo_path, created_at, updated_at) VALUES
    (x'47457ba48860573db83f2cebee473257', 'Acme', 'https://acme.example/careers',
     'logos/acme.png', 1772366400123456, 1772370000123456),
    (x'f41c99de7fe056809e9f8003322b1388', 'Bolt', 'https://bolt.example',
     NULL, 1772366400123456, 1772366400123456);

INSERT INTO postings
    (id, source_identifier, version, status, status_reason, moderated,
     company_id, enriched_hash, is_featured,
     published_at, expire_at, expired_at, created_at, updated_at,
     title, employment_types, location_types, location_country_code, location_city,
     salary_min, salary_max, salary_currency_code, salary_period,
     application_email, application_url, expiration_reason, metadata, raw_description)
VALUES
    (x'01900000000070008000000000000101', 'förlag/1 100%', 3, 'approved', 'Looks fine.', 1,
     x'47457ba48860573db83f2cebee473257', x'a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5', 1,
     1772370000123456, 1772452800123456, NULL, 1772366400123456, 1772373600123456,
     'Engineer', 'full-time,internship', 'remote,on-site', 'SE', 'Göteborg',
     30000, 9007199254740991, 'SEK', 'monthly',
     'jobs@acme.example', 'https://acme.example/apply?a=1&b=2', NULL,
     '{"b":1,"a":"ü","b":2.50}', '<p>Build ''things'' at Åcme.</p>'),
    (x'01900000000070008000000000000102', 'bare', 1, 'PendingEnrichment', NULL, 0,
     x'f41c99de7fe056809e9f8003322b1388', NULL, 0,
     NULL, NULL, NULL, 1772366400123456, 1772366400123456,
     'Engineer', '', '', NULL, NULL, NULL, NULL, NULL, NULL,
     'jobs@company.example', NULL, NULL, NULL, '<p>Build things.</p>'),
    (x'01900000000070008000000000000103', 'expired', 2, 'expired', 'filled', 0,
     x'f41c99de7fe056809e9f8003322b1388', NULL, 0,
     NULL, NULL, 1772370000123456, 1772366400123456, 1772370000123456,
     'Engineer', '', '', NULL, NULL, NULL, NULL, NULL, NULL,
     'jobs@company.example', NULL, 'filled', NULL, '<p>Build things.</p>'),
    (x'01900000000070008000000000000104', 'rejected', 2, 'rejected', 'no_content', 0,
     x'f41c99de7fe056809e9f8003322b1388', x'0000000000000000000000000000000000000000000000000000000000000000', 0,
     NULL, NULL, NULL, 1772366400123456, 1772370000123456,
     'Engineer', '', '', NULL, NULL, NULL, NULL, NULL, NULL,
     'jobs@company.example', NULL, NULL, NULL, '<p>Build things.</p>');

INSERT INTO posting_texts (posting_id, latitude, longitude, markdown, redacted_markdown) VALUES
    (x'01900000000070008000000000000101', 57.70716, 11.96679,
     'Build ''things'' at Åcme.', 'Build ''things'' at ….'),
    (x'01900000000070008000000000000103', NULL, NULL, 'Build things.', '');

INSERT INTO posting_history (posting_id, version, step, at, status, reason, actor) VALUES
    (x'01900000000070008000000000000101', 1, 0, 1772366400123456, 'PendingEnrichment', NULL,
     'client:01900000-0000-7000-8000-000000000201'),
    (x'01900000000070008000000000000101', 2, 0, 1772370000123456, 'approved', NULL, 'enricher'),
    (x'01900000000070008000000000000101', 3, 0, 1772373600123456, 'approved', 'Looks fine.', 'operator'),
    (x'01900000000070008000000000000102', 1, 0, 1772366400123456, 'PendingEnrichment', NULL,
     'client:01900000-0000-7000-8000-000000000201'),
    (x'01900000000070008000000000000103', 1, 0, 1772366400123456, 'PendingEnrichment', NULL,
     'client:01900000-0000-7000-8000-000000000201'),
    (x'01900000000070008000000000000103', 2, 0, 1772370000123456, 'expired', 'filled', 'lifetime'),
    (x'01900000000070008000000000000104', 1, 0, 1772366400123456, 'PendingEnrichment', NULL,
     'client:01900000-0000-7000-8000-000000000201'),
    (x'01900000000070008000000000000104', 2, 0, 1772370000123456, 'rejected', 'no_content', 'enricher');
