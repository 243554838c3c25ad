-- The posting that a draft was kept for, with which it is erased; unset of those from before. No
-- foreign key: what only expires leaves its draft, which another posting with the same content may
-- use.
ALTER TABLE drafts ADD COLUMN posting_id BLOB CHECK (length(posting_id) = 16);

-- What an erasure asks for.
CREATE INDEX drafts_by_posting ON drafts (posting_id) WHERE draft IS NOT NULL;
