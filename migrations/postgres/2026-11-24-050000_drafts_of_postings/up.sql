-- The posting that a draft was kept for. No foreign key: what only expires leaves its draft, which
-- another posting with the same content may use.
ALTER TABLE drafts ADD COLUMN posting_id uuid;

COMMENT ON COLUMN drafts.posting_id IS
    'The posting that the draft was kept for, with which it is erased; unset of those from before this column.';
