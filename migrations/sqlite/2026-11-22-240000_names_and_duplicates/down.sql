ALTER TABLE companies DROP COLUMN former_names;
