ALTER TABLE postings ADD COLUMN note text;
