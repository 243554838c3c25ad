-- The names that companies had, the redacted titles of postings, and what finds duplicates. No row
-- is rewritten or read: what is not known of an old row stays unset.

-- The names that a company had before, newest first, at most 20, as a JSON array; unset if it had
-- none. Redacted texts hide them too.
ALTER TABLE companies ADD COLUMN former_names TEXT
    CHECK (former_names IS NULL OR json_valid(former_names));

-- The title without what identifies the company, one line of plain text; unset if the posting was
-- enriched before this was made.
ALTER TABLE posting_texts ADD COLUMN redacted_title TEXT;

-- The oldest open posting that a posting duplicated at its last outcome. No foreign key: postings
-- are not deleted, and a mark outlives its meaning until the next outcome.
ALTER TABLE postings ADD COLUMN duplicate_of BLOB;

-- By what duplicates of a posting are found. Made by outcomes, of postings that are open; those of
-- postings that are not open any more go when a search meets them.
CREATE TABLE posting_sketches (
    -- Ids are in the order of creation.
    posting_id BLOB NOT NULL PRIMARY KEY REFERENCES postings (id) ON DELETE CASCADE,
    -- Hashes of company, title, place and a part of the sketch. Duplicates have one in common.
    band_1 INTEGER NOT NULL,
    band_2 INTEGER NOT NULL,
    band_3 INTEGER NOT NULL,
    band_4 INTEGER NOT NULL,
    -- A MinHash of the description, 64 values of two bytes: equal ones tell how much two texts have
    -- in common.
    sketch BLOB NOT NULL CHECK (length(sketch) = 128)
) STRICT, WITHOUT ROWID;

-- The oldest postings of a band, of which a search looks at a few.
CREATE INDEX posting_sketches_by_band_1 ON posting_sketches (band_1, posting_id);
CREATE INDEX posting_sketches_by_band_2 ON posting_sketches (band_2, posting_id);
CREATE INDEX posting_sketches_by_band_3 ON posting_sketches (band_3, posting_id);
CREATE INDEX posting_sketches_by_band_4 ON posting_sketches (band_4, posting_id);
