-- A draft, an empty one, and one that somebody gets at the moment.

INSERT INTO drafts (key, holder, reserved_until, used_at, draft) VALUES
    (x'a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5', NULL, NULL,
     1772193600123456,
     '{"markdown":"Bygg ''saker'' på Åcme.","verdict":"approve"}'),
    (x'0000000000000000000000000000000000000000000000000000000000000000', NULL, NULL,
     1772107200123456, ''),
    (x'5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a',
     x'01900000000070008000000000000501', 1772370000123456,
     1772366400123456, NULL);
