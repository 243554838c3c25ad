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
    (x'01900000000070008000000000000804', 'copied', 1, 'PendingEnrichment', NULL, 0, x'86c4b06d4a1c5e2b9c0e000000000801', NULL,
     x'01900000000070008000000000000101', 'förlag/1 100%', 1772370000123456,
     NULL, NULL, NULL,
     0, NULL, NULL, NULL, 1772366400123456, 1772366400123456,
     'client:01900000-0000-7000-8000-000000000201', NULL,
     'Engineer', '', '', NULL, NULL, NULL, NULL, NULL, NULL,
     'jobs@company.example', NULL, NULL,
     x'8cbd76191b8d19c86d99579dbef4181a84a1af172382ebeef1a5a237a145012d',
     NULL, '<p>Build things.</p>');

INSERT INTO posting_sketches
    (posting_id, band_1, band_2, band_3, band_4, sketch, since, first_sketch)
VALUES
    (x'01900000000070008000000000000804', 11, 12, 13, 14,
     CAST(replace(printf('%64s', ''), ' ', char(2) || char(1)) AS BLOB), 1772366400123456,
     CAST(replace(printf('%64s', ''), ' ', char(3) || char(1)) AS BLOB));
