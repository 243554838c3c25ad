ALTER TABLE postings RESET (
    fillfactor,
    autovacuum_vacuum_scale_factor,
    toast.autovacuum_vacuum_scale_factor
);
