-- Who owns a company and who changed it last.

-- The client that owns it; NULL leaves it to the clients without prefixes.
ALTER TABLE companies ADD COLUMN owner BLOB CHECK (length(owner) = 16);
-- Who changed name, logo or owner last; NULL of a change from before this was recorded.
ALTER TABLE companies ADD COLUMN updated_by TEXT;
-- Of events of companies: who changed it.
ALTER TABLE events ADD COLUMN company_updated_by TEXT;

-- The list of companies.
CREATE INDEX companies_by_website ON companies (website);
