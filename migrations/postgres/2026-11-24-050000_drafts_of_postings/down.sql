ALTER TABLE drafts DROP COLUMN posting_id;
