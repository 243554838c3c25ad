# Lever: https://api.lever.co/v0/postings/NAME?mode=json
# items: if isarray then .[] else listed("postings") end

.hostedUrl as $url
| [.categories.location, (.categories.allLocations | many)] as $places
| posting(.id; {
    title: .text,
    raw_description: sections(
      section(null; (.description | text) // .descriptionPlain),
      (.lists | many | section(.text; .content | text | if . and startswith("<li") then "<ul>\(.)</ul>" else . end)),
      section(null; (.additional | text) // .additionalPlain),
      section(null; (.salaryDescription | text) // .salaryDescriptionPlain)
    ),
    employment_types: [.categories.commitment | employment],
    location_types: [(.workplaceType | workplace) // ($places[0] | text | remote_in(.))],
    application_url: ((.applyUrl | text) // $url),
    date_posted: (.createdAt | moment),
    company: {name: ($url | page_at("lever.co") | named), website_url: ($url | website("lever.co"))},
    metadata: {department: .categories.department, team: .categories.team}
  }
  * places($places[] | spot)
  * (if .country then {location_country_code: .country} else {} end)
  * (.salaryRange // {} | pay(.min; .max; .currency; .interval)))
