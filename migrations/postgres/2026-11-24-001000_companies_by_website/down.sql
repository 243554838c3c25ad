DROP INDEX companies_by_website;
