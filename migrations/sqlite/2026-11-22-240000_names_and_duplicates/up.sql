-- The names that companies had, and the redacted titles of postings. No row is rewritten or read:
-- what is not known of an old row stays unset.

-- The names that a company had before, newest first, at most 20, as a JSON array; unset if it had
-- none. Redacted texts hide them too.
ALTER TABLE companies ADD COLUMN former_names TEXT
    CHECK (former_names IS NULL OR json_valid(former_names));

-- The title without what identifies the company, one line of plain text; unset if the posting was
-- enriched before this was made.
ALTER TABLE posting_texts ADD COLUMN redacted_title TEXT;
