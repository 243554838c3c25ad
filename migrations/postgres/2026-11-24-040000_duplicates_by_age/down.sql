ALTER TABLE posting_sketches DROP COLUMN first_sketch, DROP COLUMN since;
ALTER TABLE postings DROP COLUMN content_at, DROP COLUMN duplicate_identifier;
