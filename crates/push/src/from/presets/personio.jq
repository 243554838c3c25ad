# Personio's XML: https://NAME.jobs.personio.de/xml?language=en, with --set
#   'application_url=https://NAME.jobs.personio.de/job/{id}' and company.website_url
# items: ."workzag-jobs" | if isobject then .position | many elif . == null then error("there is no <workzag-jobs>") else empty end

[.office, (.additionalOffices | if isobject then .office | many else . end) | text | values] as $offices
| posting(.id | text; {
    title: (.name | text),
    raw_description: sections(.jobDescriptions | if isobject then .jobDescription | many else empty end
      | section(.name; .value)),
    # `permanent` does not describe the hours; `schedule` does.
    employment_types: ([
      (.schedule | text | if . == "full-or-part-time" then "full-time", "part-time" else employment end),
      (.employmentType | text | select(. == "intern" or . == "trainee" or . == "freelance" or . == "temporary") | employment)
    ] | unique),
    location_types: ([(.workplaceType | workplace) // ($offices[] | remote_in(.))] | unique),
    date_posted: (.createdAt | moment),
    company: {name: (.subcompany | text)},
    metadata: {
      department: (.department | text), employment_type: (.employmentType | text),
      seniority: (.seniority | text), occupation: (.occupation | text), keywords: (.keywords | text)
    }
  }
  * places($offices[] | spot)
  * (.salaryInformation | if isobject then pay(.min | text; .max | text; .currencyCode; .type) else {} end))
