-- Duplicates go by when their content was pushed, and by who may see the original. No row is rewritten.

-- The identifier of the posting that a posting duplicates, which tells who may know of it. Without it
-- duplicate_of counts for nothing.
ALTER TABLE postings ADD COLUMN duplicate_identifier TEXT;
-- When a push last changed company, title, place or description; unset if none did since the first.
ALTER TABLE postings ADD COLUMN content_at INTEGER;

-- When the posting first had content that matches this; 1970 if that was not recorded.
ALTER TABLE posting_sketches ADD COLUMN since INTEGER NOT NULL DEFAULT 0;
-- The sketch of the description of that time; unset if it is the same.
ALTER TABLE posting_sketches ADD COLUMN first_sketch BLOB
    CHECK (first_sketch IS NULL OR length(first_sketch) = 128);

-- The oldest postings of a band, of which a search looks at a few.
DROP INDEX posting_sketches_by_band_1;
DROP INDEX posting_sketches_by_band_2;
DROP INDEX posting_sketches_by_band_3;
DROP INDEX posting_sketches_by_band_4;
CREATE INDEX posting_sketches_in_band_1 ON posting_sketches (band_1, since, posting_id);
CREATE INDEX posting_sketches_in_band_2 ON posting_sketches (band_2, since, posting_id);
CREATE INDEX posting_sketches_in_band_3 ON posting_sketches (band_3, since, posting_id);
CREATE INDEX posting_sketches_in_band_4 ON posting_sketches (band_4, since, posting_id);

-- The copies of a posting, which are looked up anew when it ends or changes. Few postings are copies.
CREATE INDEX postings_by_original ON postings (duplicate_of, id) WHERE duplicate_of IS NOT NULL;
