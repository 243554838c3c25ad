-- A company with an owner, and an event that says who changed it.
INSERT INTO companies (id, name, website, owner, created_at, updated_at, updated_by) VALUES
    ('86c4b06d-4a1c-5e2b-9c0e-000000000901', 'Dune', 'https://dune.example',
     '01900000-0000-7000-8000-000000000201', '2026-03-01 12:00:00.123456+00',
     '2026-03-01 13:00:00.123456+00', 'operator:Ann');
INSERT INTO events
    (written_in, at, name, subject, company_name, company_website, company_updated_by) VALUES
    (9, '2026-03-01 13:00:00.123456+00', 'Owned', '86c4b06d-4a1c-5e2b-9c0e-000000000901',
     'Dune', 'https://dune.example', 'operator:Ann');
