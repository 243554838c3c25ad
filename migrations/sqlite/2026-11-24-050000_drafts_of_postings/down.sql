DROP INDEX drafts_by_posting;
ALTER TABLE drafts DROP COLUMN posting_id;
