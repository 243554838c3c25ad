-- Duplicates go by when their content was pushed, and by who may see the original. No row is rewritten.

ALTER TABLE postings
    ADD COLUMN duplicate_identifier text COLLATE "C",
    ADD COLUMN content_at timestamptz;

COMMENT ON COLUMN postings.duplicate_of IS
    'The open posting with the same content, pushed first, that it duplicates. No foreign key: it counts only with duplicate_identifier.';
COMMENT ON COLUMN postings.duplicate_identifier IS
    'The identifier of the posting that it duplicates, which tells who may know of it.';
COMMENT ON COLUMN postings.content_at IS
    'When a push last changed company, title, place or description; NULL if none did since the first.';

ALTER TABLE posting_sketches
    ADD COLUMN since timestamptz NOT NULL DEFAULT '1970-01-01 00:00:00+00',
    ADD COLUMN first_sketch bytea,
    ADD CONSTRAINT posting_sketches_first_sketch_check
        CHECK (octet_length(first_sketch) = 128) NOT VALID;

COMMENT ON COLUMN posting_sketches.posting_id IS 'The posting.';
COMMENT ON COLUMN posting_sketches.since IS
    'When the posting first had content that matches this; 1970 if that was not recorded.';
COMMENT ON COLUMN posting_sketches.first_sketch IS
    'The sketch of the description of that time; NULL if it is the same.';
