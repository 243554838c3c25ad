-- The list of companies. A website never changes, so that updates stay on their page.
CREATE INDEX CONCURRENTLY companies_by_website ON companies (website);
