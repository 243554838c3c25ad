-- Catalogues go, and no posting belongs to one. What they expired counts as the end of a lifetime,
-- and what an operator did by name as done by operators: earlier versions read no other actors.
DROP INDEX postings_by_catalogue;

UPDATE postings SET updated_by = 'lifetime' WHERE updated_by LIKE 'catalogue:%';
UPDATE postings SET updated_by = 'operator' WHERE updated_by LIKE 'operator:%';
UPDATE posting_history SET actor = 'lifetime' WHERE actor LIKE 'catalogue:%';
UPDATE posting_history SET actor = 'operator' WHERE actor LIKE 'operator:%';

ALTER TABLE postings
    DROP COLUMN catalogue_id,
    DROP CONSTRAINT postings_created_by_check,
    DROP CONSTRAINT postings_updated_by_check,
    ADD CONSTRAINT postings_created_by_check
        CHECK (created_by IN ('enricher', 'operator', 'lifetime') OR created_by LIKE 'client:%'),
    ADD CONSTRAINT postings_updated_by_check
        CHECK (updated_by IN ('enricher', 'operator', 'lifetime') OR updated_by LIKE 'client:%');

ALTER TABLE posting_history
    DROP CONSTRAINT posting_history_actor_check,
    ADD CONSTRAINT posting_history_actor_check
        CHECK (actor IN ('enricher', 'operator', 'lifetime') OR actor LIKE 'client:%');

COMMENT ON COLUMN posting_history.actor IS
    'Who brought it about: client:ID, enricher, operator or lifetime.';

DROP TABLE catalogues;
