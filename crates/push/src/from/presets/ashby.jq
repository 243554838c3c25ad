# Ashby: https://api.ashbyhq.com/posting-api/job-board/NAME?includeCompensation=true
# items: listed("jobs") | select(.isListed != false)

def place: (.address.postalAddress // .address // {}) as $address
  | if $address.addressLocality then
      {country_code: $address.addressCountry, region: $address.addressRegion,
       city: $address.addressLocality, postal_code: $address.postalCode}
    else (.location | spot) + {country_code: $address.addressCountry, region: $address.addressRegion} end;

.jobUrl as $url
| [.compensation.summaryComponents | many | select(.compensationType == "Salary")] as $pay
| posting((.id // ($url | text | if . then split("/")[-1] else null end)); {
    title,
    raw_description: ((.descriptionHtml | text) // .descriptionPlain),
    employment_types: [.employmentType | employment],
    location_types: [if .workplaceType then .workplaceType | workplace elif .isRemote then "remote" else empty end],
    application_url: ((.applyUrl | text) // $url),
    date_posted: (.publishedAt | moment),
    company: {name: ($url | page_at("ashbyhq.com") | named), website_url: ($url | website("ashbyhq.com"))},
    metadata: {
      department, team,
      pay: .compensation.compensationTierSummary
    }
  }
  * places(place, (.secondaryLocations | many | place))
  # Several pay ranges are for several levels of seniority.
  * if $pay | length == 1 then
      $pay[0] | pay(.minValue; .maxValue; .currencyCode; .interval)
    else {} end)
