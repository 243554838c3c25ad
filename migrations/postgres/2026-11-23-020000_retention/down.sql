-- Texts that were dropped stay so; enrichment makes them again.
DROP INDEX postings_with_old_texts;
