-- A client whose tokens were ended.
INSERT INTO clients (id, created_at, name, scopes, tokens_from)
VALUES
    (x'01900000000070008000000000000204', 1772366400123456, 'Ended', 'job-postings:read',
     1772370001000000);
