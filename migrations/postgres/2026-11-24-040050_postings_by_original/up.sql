-- The copies of a posting, which are looked up anew when it ends or changes. Few postings are copies.
CREATE INDEX CONCURRENTLY postings_by_original ON postings (duplicate_of, id)
    WHERE duplicate_of IS NOT NULL;
