CREATE INDEX CONCURRENTLY postings_by_note ON postings (note);
