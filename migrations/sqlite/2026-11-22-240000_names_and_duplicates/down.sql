DROP TABLE posting_sketches;
ALTER TABLE postings DROP COLUMN duplicate_of;
ALTER TABLE companies DROP COLUMN former_names;
ALTER TABLE posting_texts DROP COLUMN redacted_title;
