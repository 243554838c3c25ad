-- One client that works, and one that was revoked.

INSERT INTO clients (id, name, scopes, secret_digest, created_at, revoked_at) VALUES
    ('01900000-0000-7000-8000-000000000201', 'Scraper', '{job-postings:write,job-postings:read}',
     '\x0707070707070707070707070707070707070707070707070707070707070707',
     '2026-03-01 12:00:00.123456+00', NULL),
    ('01900000-0000-7000-8000-000000000202', 'Membership ''old''', '{newsletter-subscribers:write}',
     '\x0000000000000000000000000000000000000000000000000000000000000000',
     '2026-03-01 13:00:00.123456+00', '2026-03-01 14:00:00.123456+00');
