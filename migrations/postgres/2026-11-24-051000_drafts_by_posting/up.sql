CREATE INDEX CONCURRENTLY drafts_by_posting ON drafts (posting_id) WHERE draft IS NOT NULL;
