-- Catalogues go, and no posting belongs to one. What they expired counts as the end of a lifetime,
-- and what an operator did by name as done by operators: earlier versions read no other actors.
DROP INDEX postings_by_catalogue;
ALTER TABLE postings DROP COLUMN catalogue_id;

UPDATE postings SET updated_by = 'lifetime' WHERE updated_by LIKE 'catalogue:%';
UPDATE postings SET updated_by = 'operator' WHERE updated_by LIKE 'operator:%';
UPDATE posting_history SET actor = 'lifetime' WHERE actor LIKE 'catalogue:%';
UPDATE posting_history SET actor = 'operator' WHERE actor LIKE 'operator:%';

DROP TABLE catalogues;
