DROP INDEX companies_by_website;
ALTER TABLE events DROP COLUMN company_updated_by;
ALTER TABLE companies DROP COLUMN updated_by;
ALTER TABLE companies DROP COLUMN owner;
