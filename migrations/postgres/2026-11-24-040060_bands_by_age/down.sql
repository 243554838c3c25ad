CREATE INDEX posting_sketches_by_band_1 ON posting_sketches (band_1, posting_id);
CREATE INDEX posting_sketches_by_band_2 ON posting_sketches (band_2, posting_id);
CREATE INDEX posting_sketches_by_band_3 ON posting_sketches (band_3, posting_id);
CREATE INDEX posting_sketches_by_band_4 ON posting_sketches (band_4, posting_id);
