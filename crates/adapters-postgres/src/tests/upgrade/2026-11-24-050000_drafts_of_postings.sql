-- A draft that was kept for a posting.
INSERT INTO drafts (key, used_at, draft, posting_id) VALUES
    (decode(repeat('05', 32), 'hex'), '2026-03-01 12:00:00.123456+00', '{"verdict":"approve"}', '01900000-0000-7000-8000-000000000801');
