-- A catalogue with everything set, of which an import is running.
INSERT INTO catalogues
    (id, client_id, name, created_at, holder, leased_until, last_started_at, last_finished_at,
     lines, created, updated, unchanged, expired, reopened, refused, failed,
     missing, missing_expired, is_held, is_complete)
VALUES
    (x'01900000000070008000000000000701', x'01900000000070008000000000000203', 'Jobs.of_a-9', 1772366400123456, x'01900000000070008000000000000702', 1772377200123456, 1772370000123456, 1772373600123456,
     36, 1, 2, 3000000000, 4, 5, 6, 7,
     8, 9, 1, 1);

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
    (x'01900000000070008000000000000106', 'delisted', 2, 'expired', 'no longer in the catalogue Jobs.of_a-9', 0, x'f41c99de7fe056809e9f8003322b1388', x'01900000000070008000000000000701',
     NULL, NULL, NULL,
     0, NULL, NULL, 1772373600123456, 1772366400123456, 1772373600123456,
     'client:01900000-0000-7000-8000-000000000203', 'catalogue:Jobs.of_a-9',
     'Engineer', '', '', NULL, NULL, NULL, NULL, NULL, NULL,
     'jobs@company.example', NULL, NULL,
     x'8cbd76191b8d19c86d99579dbef4181a84a1af172382ebeef1a5a237a145012d',
     NULL, '<p>Build things.</p>');

INSERT INTO posting_history (posting_id, version, step, at, status, reason, actor) VALUES
    (x'01900000000070008000000000000106', 2, 0, 1772373600123456,
     'expired', 'no longer in the catalogue Jobs.of_a-9', 'catalogue:Jobs.of_a-9');
