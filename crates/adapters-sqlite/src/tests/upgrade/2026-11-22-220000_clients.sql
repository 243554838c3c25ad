-- A client with everything set, its secrets and its activity.
INSERT INTO clients
    (id, created_at, version, name, scopes, prefixes, requests_per_minute, revoked_at, last_push_at)
VALUES
    (x'01900000000070008000000000000203', 1772366400123456, 4, 'Many ''prefixes''',
     'job-postings:read,webhooks:manage', '["acme-","ü\"\\,%_"]', 4294967295,
     1772380800123456, 1772370000123456);

INSERT INTO client_secrets (client_id, digest, created_at, expires_at, last_used_at) VALUES
    (x'01900000000070008000000000000203',
     x'0808080808080808080808080808080808080808080808080808080808080808',
     1772370000123456, NULL, NULL),
    (x'01900000000070008000000000000203',
     x'0909090909090909090909090909090909090909090909090909090909090909',
     1772366400123456, 1772373600123456, 1772377200123456);

INSERT INTO client_days
    (client_id, date, created, updated, unchanged, expired, reopened, refused, approved, rejected)
VALUES
    (x'01900000000070008000000000000203', '2026-03-01', 1, 2, 3000000000, 4, 5, 6, 7, 8);

INSERT INTO client_refusals (client_id, id, at, identifier, status, message, errors) VALUES
    (x'01900000000070008000000000000203', x'01900000000070008000000000000601',
     1772370000123456, 'jöb/1', 422, 'It''s wrong.', NULL),
    (x'01900000000070008000000000000203', x'01900000000070008000000000000602',
     1772370000123456, 'jöb/1', 422, 'It''s wrong.', '{"title":["is ''bad''"]}');

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
    (x'01900000000070008000000000000105', 'written', 1, 'PendingEnrichment', NULL, false, x'f41c99de7fe056809e9f8003322b1388',
     NULL, NULL, NULL,
     false, NULL, NULL, NULL, 1772366400123456, 1772366400123456,
     'client:01900000-0000-7000-8000-000000000203', 'operator',
     'Engineer', '', '', NULL, NULL, NULL, NULL, NULL, NULL,
     'jobs@company.example', NULL, NULL,
     x'8cbd76191b8d19c86d99579dbef4181a84a1af172382ebeef1a5a237a145012d',
     NULL, '<p>Build things.</p>');
