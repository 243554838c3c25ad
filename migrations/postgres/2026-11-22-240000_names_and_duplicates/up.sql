-- The names that companies had, the redacted titles of postings, and what finds duplicates. No row
-- is rewritten or read: what is not known of an old row stays unset.

ALTER TABLE companies
    ADD COLUMN former_names json,
    ADD CONSTRAINT companies_former_names_check
        CHECK (json_typeof(former_names) = 'array') NOT VALID;

COMMENT ON COLUMN companies.former_names IS
    'The names that it had before, newest first, at most 20; unset if it had none. Redacted texts hide them too.';

ALTER TABLE posting_texts ADD COLUMN redacted_title text;

COMMENT ON COLUMN posting_texts.redacted_title IS
    'The title without what identifies the company, one line of plain text; unset if it was enriched before this was made.';

ALTER TABLE postings ADD COLUMN duplicate_of uuid;

COMMENT ON COLUMN postings.duplicate_of IS
    'The oldest open posting that it duplicated at its last outcome. No foreign key: postings are not deleted, and a mark outlives its meaning until the next outcome.';

CREATE TABLE posting_sketches (
    posting_id uuid NOT NULL PRIMARY KEY REFERENCES postings (id) ON DELETE CASCADE,
    band_1 bigint NOT NULL,
    band_2 bigint NOT NULL,
    band_3 bigint NOT NULL,
    band_4 bigint NOT NULL,
    sketch bytea NOT NULL CHECK (octet_length(sketch) = 128)
);

COMMENT ON TABLE posting_sketches IS
    'By what duplicates of a posting are found. Made by outcomes, of postings that are open; those of postings that are not open any more go when a search meets them.';
COMMENT ON COLUMN posting_sketches.posting_id IS 'The posting. Ids are in the order of creation.';
COMMENT ON COLUMN posting_sketches.band_1 IS
    'A hash of company, title, place and a part of the sketch. Duplicates have one of the four in common.';
COMMENT ON COLUMN posting_sketches.band_2 IS 'The same of the second part.';
COMMENT ON COLUMN posting_sketches.band_3 IS 'The same of the third part.';
COMMENT ON COLUMN posting_sketches.band_4 IS 'The same of the fourth part.';
COMMENT ON COLUMN posting_sketches.sketch IS
    'A MinHash of the description, 64 values of two bytes: equal ones tell how much two texts have in common.';

-- The oldest postings of a band, of which a search looks at a few.
CREATE INDEX posting_sketches_by_band_1 ON posting_sketches (band_1, posting_id);
CREATE INDEX posting_sketches_by_band_2 ON posting_sketches (band_2, posting_id);
CREATE INDEX posting_sketches_by_band_3 ON posting_sketches (band_3, posting_id);
CREATE INDEX posting_sketches_by_band_4 ON posting_sketches (band_4, posting_id);
