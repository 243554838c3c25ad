# Recruitee: https://NAME.recruitee.com/api/offers/
# items: .offer // listed("offers") | select(.status == null or .status == "published")

def place: {country_code: ((.country_code | text) // .country), region: (.state_name // .state),
            city: (.city | text | if . and test("^remote"; "i") then null else . end), postal_code};

posting(.id; {
    title: (.title | text),
    raw_description: sections(section(null; .description), section(null; .requirements)),
    employment_types: [.employment_type_code | text | select(. != null) | employment],
    location_types: [
      (select(.remote == true) | "remote"), (select(.hybrid == true) | "hybrid"),
      (select(.on_site == true) | "on-site")
    ],
    application_url: ((.careers_apply_url | text) // (.careers_url | text) // .url),
    application_email: .mailbox_email,
    date_posted: (.published_at // .created_at | moment),
    valid_through: (.close_at | moment),
    company: {
      name: ((.company_name | text)
        // (.careers_url | text | if . then capture("//(?<name>[^.]+)[.]recruitee[.]com")?.name | named else null end)),
      website_url: (.careers_url | origin)
    },
    metadata: {department, tags, min_hours, max_hours, experience: .experience_code}
  }
  * places(if [.locations | many] | length > 0 then .locations[] | place else place end)
  * (if .salary | isobject then .salary
     else {min: .salary_min, max: .salary_max, currency: .salary_currency, period: .salary_period} end
     | pay(.min; .max; .currency; .period)))
