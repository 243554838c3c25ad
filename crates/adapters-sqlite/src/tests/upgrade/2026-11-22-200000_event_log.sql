-- A posting whose texts are known by their digest.
INSERT INTO postings
    (id, source_identifier, version, status, status_reason, moderated, company_id,
     enriched_hash, approved_hash,
     texts_digest,
     is_featured, published_at, expire_at, expired_at, created_at, updated_at,
     title, employment_types, location_types, location_country_code, location_city,
     salary_min, salary_max, salary_currency_code, salary_period,
     application_email, application_url, expiration_reason,
     description_digest,
     metadata, raw_description)
VALUES
    (x'01900000000070008000000000000104', 'digested', 1, 'PendingEnrichment', NULL, false, x'f41c99de7fe056809e9f8003322b1388',
     NULL, NULL,
     x'a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5',
     false, NULL, NULL, NULL, 1772366400123456, 1772366400123456,
     'Engineer', '', '', NULL, NULL, NULL, NULL, NULL, NULL,
     'jobs@company.example', NULL, NULL,
     x'8cbd76191b8d19c86d99579dbef4181a84a1af172382ebeef1a5a237a145012d',
     NULL, '<p>Build things.</p>');

-- Its enrichment, which was given up: the seventh task.
INSERT INTO outbox
    (kind, subject, account, generation, attempts, next_at, lease,
     first_failed_at, last_error, dead_at, created_at)
VALUES
    ('enrich', x'01900000000070008000000000000104', NULL, 1, 7, 1772370000123456, NULL,
     1772366400123456, 'no model', 1772370000123456, 1772366400123456);

-- An event of a company, one of a posting, and one of a subscriber.
INSERT INTO events
    (at, name, subject, source_identifier, version, status, status_reason,
     company_name, company_website, company_logo_path)
VALUES
    (1772373600123456, 'CompanyUpdated', x'f41c99de7fe056809e9f8003322b1388',
     NULL, NULL, NULL, NULL, 'Bolt ''n'' Co', 'https://bolt.example', 'logos/bolt.png'),
    (1772377200123456, 'JobPostingRejected', x'01900000000070008000000000000104',
     'digested', 2, 'rejected', 'spam: ''no''', NULL, NULL, NULL),
    (1772380800123456, 'IndividualMembershipUpdated', x'01900000000070008000000000000402',
     NULL, NULL, NULL, NULL, NULL, NULL, NULL);

-- How far a consumer has come.
INSERT INTO event_cursors (consumer, written_in, number) VALUES ('newsletter', 0, 3);
