-- Rows of before have their digests now: they are read back.
SELECT 1;
