# SmartRecruiters: the API's answer for each posting, one after another; the list has no texts
# items: listed("content")

"https://jobs.smartrecruiters.com/" as $site
| if .jobAd == null then
    error("it has no jobAd: fetch each posting of the list by its ref, \(.ref // "")")
  else . end
| posting(.id; {
    title: (.name | text),
    raw_description: sections(.jobAd.sections
      | (.companyDescription, .jobDescription, .qualifications, .additionalInformation)
      | section(.title; .text)),
    employment_types: [(.typeOfEmployment | (.label // .id)) | employment],
    location_types: [
      if .location.remote == true then "remote" elif .location.hybrid == true then "hybrid" else empty end
    ],
    requisition_id: .refNumber,
    application_url: ((.applyUrl | text) // (.postingUrl | text) // ($site + "\(.company.identifier)/\(.id)")),
    date_posted: (.releasedDate | moment),
    company: {name: .company.name, website_url: ($site + .company.identifier)},
    metadata: {
      department: .department.label, function: .function.label, industry: .industry.label,
      experience: .experienceLevel.label,
      fields: ([.customField | many | {key: .fieldLabel, value: .valueLabel}] | from_entries)
    }
  }
  * places(.location | {country_code: (.country | text | if . then ascii_upcase else null end), region, city,
                        postal_code: .postalCode}))
