-- One client that works, and one that was revoked.

INSERT INTO clients (id, name, scopes, secret_digest, created_at, revoked_at) VALUES
    (x'01900000000070008000000000000201', 'Scraper', 'job-postings:write job-postings:read',
     x'0707070707070707070707070707070707070707070707070707070707070707',
     1772366400123456, NULL),
    (x'01900000000070008000000000000202', 'Membership ''old''', 'newsletter-subscribers:write',
     x'0000000000000000000000000000000000000000000000000000000000000000',
     1772370000123456, 1772373600123456);
