# Workable: https://apply.workable.com/api/v1/widget/accounts/NAME?details=true
# items: .name as $name | listed("jobs") | . + {account: $name}

(.url // .shortlink // .application_url) as $url
| posting(.shortcode // .id; {
    title,
    raw_description: sections(section(null; .description), section("Requirements"; .requirements),
      section("Benefits"; .benefits)),
    employment_types: [.employment_type | employment],
    location_types: [if .telecommuting == true then "remote" else .workplace_type | workplace end],
    requisition_id: .code,
    application_url: ((.application_url | text) // $url),
    date_posted: (.published_on // .created_at | moment),
    company: {
      name: .account,
      website_url: (if .account | text then "https://apply.workable.com/"
        + (.account | ascii_downcase | gsub("[^a-z0-9]+"; "-") | sub("-$"; "")) else null end)
    },
    metadata: {department, function, industry, experience, education}
  }
  * places(
    if [.locations | many] | length > 0 then
      .locations[] | select(.hidden != true)
      | {country_code: ((.countryCode | text) // .country), region, city}
    else {country_code: .country, region: .state, city} end
  ))
