ALTER TABLE events DROP COLUMN company_updated_by;
ALTER TABLE companies DROP COLUMN updated_by, DROP COLUMN owner;
