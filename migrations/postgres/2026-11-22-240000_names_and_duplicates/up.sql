-- The names that companies had, and the redacted titles of postings. No row is rewritten or read:
-- what is not known of an old row stays unset.

ALTER TABLE companies
    ADD COLUMN former_names json,
    ADD CONSTRAINT companies_former_names_check
        CHECK (json_typeof(former_names) = 'array') NOT VALID;

COMMENT ON COLUMN companies.former_names IS
    'The names that it had before, newest first, at most 20; unset if it had none. Redacted texts hide them too.';

ALTER TABLE posting_texts ADD COLUMN redacted_title text;

COMMENT ON COLUMN posting_texts.redacted_title IS
    'The title without what identifies the company, one line of plain text; unset if it was enriched before this was made.';
