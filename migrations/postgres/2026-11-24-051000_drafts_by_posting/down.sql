DROP INDEX drafts_by_posting;
