-- The oldest postings of a band, of which a search looks at a few.
CREATE INDEX CONCURRENTLY posting_sketches_in_band_4 ON posting_sketches (band_4, since, posting_id);
