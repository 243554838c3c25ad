-- A posting that is a copy, and whose text was mended.
INSERT INTO postings
    (id, source_identifier, version, status, status_reason, moderated, company_id, catalogue_id,
     duplicate_of, duplicate_identifier, content_at,
     enriched_hash, approved_hash, texts_digest,
     is_featured, published_at, expire_at, expired_at, created_at, updated_at,
     created_by, updated_by,
     title, employment_types, location_types, location_country_code, location_city,
     salary_min, salary_max, salary_currency_code, salary_period,
     application_email, application_url, expiration_reason,
     description_digest,
     metadata, raw_description)
VALUES
    ('01900000-0000-7000-8000-000000000804', 'copied', 1, 'PendingEnrichment', NULL, false, '86c4b06d-4a1c-5e2b-9c0e-000000000801', NULL,
     '01900000-0000-7000-8000-000000000101', 'förlag/1 100%', '2026-03-01 13:00:00.123456+00',
     NULL, NULL, NULL,
     false, NULL, NULL, NULL, '2026-03-01 12:00:00.123456+00', '2026-03-01 12:00:00.123456+00',
     'client:01900000-0000-7000-8000-000000000201', NULL,
     'Engineer', '{}', '{}', NULL, NULL, NULL, NULL, NULL, NULL,
     'jobs@company.example', NULL, NULL,
     '\x8cbd76191b8d19c86d99579dbef4181a84a1af172382ebeef1a5a237a145012d',
     NULL, '<p>Build things.</p>');

INSERT INTO posting_sketches
    (posting_id, band_1, band_2, band_3, band_4, sketch, since, first_sketch)
VALUES
    ('01900000-0000-7000-8000-000000000804', 11, 12, 13, 14,
     decode(repeat('0201', 64), 'hex'), '2026-03-01 12:00:00.123456+00',
     decode(repeat('0301', 64), 'hex'));
