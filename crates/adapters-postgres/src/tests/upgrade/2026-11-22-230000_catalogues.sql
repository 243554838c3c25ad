-- A catalogue with everything set, of which an import is running.
INSERT INTO catalogues
    (id, client_id, name, created_at, holder, leased_until, last_started_at, last_finished_at,
     lines, created, updated, unchanged, expired, reopened, refused, failed,
     missing, missing_expired, is_held, is_complete)
VALUES
    ('01900000-0000-7000-8000-000000000701', '01900000-0000-7000-8000-000000000203', 'Jobs.of_a-9', '2026-03-01 12:00:00.123456+00', '01900000-0000-7000-8000-000000000702', '2026-03-01 15:00:00.123456+00', '2026-03-01 13:00:00.123456+00', '2026-03-01 14:00:00.123456+00',
     36, 1, 2, 3000000000, 4, 5, 6, 7,
     8, 9, true, true);

-- A posting that it lists no longer.
INSERT INTO postings
    (id, source_identifier, version, status, status_reason, moderated, company_id, catalogue_id,
     enriched_hash, approved_hash, texts_digest,
     is_featured, published_at, expire_at, expired_at, created_at, updated_at,
     created_by, updated_by,
     title, employment_types, location_types, location_country_code, location_city,
     salary_min, salary_max, salary_currency_code, salary_period,
     application_email, application_url, expiration_reason,
     description_digest,
     metadata, raw_description)
VALUES
    ('01900000-0000-7000-8000-000000000106', 'delisted', 2, 'expired', 'no longer in the catalogue Jobs.of_a-9', false, 'f41c99de-7fe0-5680-9e9f-8003322b1388', '01900000-0000-7000-8000-000000000701',
     NULL, NULL, NULL,
     false, NULL, NULL, '2026-03-01 14:00:00.123456+00', '2026-03-01 12:00:00.123456+00', '2026-03-01 14:00:00.123456+00',
     'client:01900000-0000-7000-8000-000000000203', 'catalogue:Jobs.of_a-9',
     'Engineer', '{}', '{}', NULL, NULL, NULL, NULL, NULL, NULL,
     'jobs@company.example', NULL, NULL,
     '\x8cbd76191b8d19c86d99579dbef4181a84a1af172382ebeef1a5a237a145012d',
     NULL, '<p>Build things.</p>');

INSERT INTO posting_history (posting_id, version, step, at, status, reason, actor) VALUES
    ('01900000-0000-7000-8000-000000000106', 2, 0, '2026-03-01 14:00:00.123456+00',
     'expired', 'no longer in the catalogue Jobs.of_a-9', 'catalogue:Jobs.of_a-9');
