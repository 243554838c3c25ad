-- A company with an owner, and an event that says who changed it.
INSERT INTO companies (id, name, website, owner, created_at, updated_at, updated_by) VALUES
    (x'86c4b06d4a1c5e2b9c0e000000000901', 'Dune', 'https://dune.example',
     x'01900000000070008000000000000201', 1772366400123456, 1772370000123456, 'operator:Ann');
INSERT INTO events (at, name, subject, company_name, company_website, company_updated_by) VALUES
    (1772370000123456, 'Owned', x'86c4b06d4a1c5e2b9c0e000000000901', 'Dune',
     'https://dune.example', 'operator:Ann');
