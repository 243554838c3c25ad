ALTER TABLE postings DROP COLUMN description_digest;
