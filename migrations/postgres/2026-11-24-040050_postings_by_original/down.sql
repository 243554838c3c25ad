DROP INDEX postings_by_original;
