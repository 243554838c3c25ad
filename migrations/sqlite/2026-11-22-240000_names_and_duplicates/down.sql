ALTER TABLE companies DROP COLUMN former_names;
ALTER TABLE posting_texts DROP COLUMN redacted_title;
