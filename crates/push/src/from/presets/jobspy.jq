# JobSpy: jobs.to_csv("jobs.csv", index=False); also its JSON

(.job_url_direct | text) as $direct
| posting((.id | text) // .job_url; {
    title,
    # Markdown, which the service accepts like HTML.
    raw_description: .description,
    employment_types: [.job_type | if isarray then .[] else text | if . then splits(", *") else empty end end | employment],
    location_types: [
      if "\(.is_remote)" | test("^true$"; "i") then "remote" else .work_from_home_type | workplace end
    ],
    application_url: ($direct // .job_url),
    application_email: (if $direct or .job_url then null else .emails | text | if . then splits(", *") else null end end),
    date_posted: (.date_posted | moment),
    company: {
      name: .company,
      website_url: ((.company_url_direct | text) // (.company_url | text)),
      logo_path: .company_logo
    },
    metadata: {site, level: .job_level, industry: .company_industry, skills, listing: .job_url}
  }
  * places(.location | spot)
  * pay(.min_amount; .max_amount; .currency; .interval))
