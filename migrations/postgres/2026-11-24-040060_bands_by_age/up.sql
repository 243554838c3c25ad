-- The indexes of bands by age take the place of these, which no release has used.
DROP INDEX posting_sketches_by_band_1, posting_sketches_by_band_2,
    posting_sketches_by_band_3, posting_sketches_by_band_4;
