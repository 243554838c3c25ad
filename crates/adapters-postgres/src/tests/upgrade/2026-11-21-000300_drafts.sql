-- A draft, an empty one, and one that somebody gets at the moment.

INSERT INTO drafts (key, holder, reserved_until, used_at, draft) VALUES
    ('\xa5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5', NULL, NULL,
     '2026-02-27 12:00:00.123456+00',
     '{"markdown":"Bygg ''saker'' på Åcme.","verdict":"approve"}'),
    ('\x0000000000000000000000000000000000000000000000000000000000000000', NULL, NULL,
     '2026-02-26 12:00:00.123456+00', ''),
    ('\x5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a',
     '01900000-0000-7000-8000-000000000501', '2026-03-01 13:00:00.123456+00',
     '2026-03-01 12:00:00.123456+00', NULL);
