# schema.org's JobPosting as JSON-LD: a JSON file, or HTML pages one after another
# items: . as $page | [job_postings] | if . == [] then $page else .[] end

def name: if isobject then (.name | text) // (.identifier | text) else text end;
def link: if isobject then (.url // ."@id") | link else many | text end;
def id: [many | if isobject then (.value // ."@value" // .propertyID) | many | text else text end | values][0];
def address: if isstring then spot
  elif isobject then
    {country_code: (.addressCountry | [many][0] | name), region: (.addressRegion | [many][0] | name),
     city: (.addressLocality | [many][0] | name), postal_code: (.postalCode | text)}
  else {} end;
def place: if isstring then spot else (.address | many | address), (if has("address") then empty else .name | spot end) end;
# An amount may be a number, a range, or in `value`. Its period may be beside it or inside.
def salary($currency):
  if isobject | not then pay(.; .; $currency; null)
  else
    (.value | [many][0] | if isobject then . else {value: .} end) as $in
    | pay($in.minValue // .minValue // $in.value; $in.maxValue // .maxValue // $in.value;
          (.currency | text) // (.salaryCurrency | text) // ($in.currency | text) // $currency;
          $in.unitText // .unitText // $in.unitCode)
  end;

if isobject and is_a("JobPosting") then . else error("there is no JobPosting in JSON-LD") end
| [.url | link | values] as $urls
| ($urls[0] // ([.mainEntityOfPage | link | values][0])) as $url
| ((.description | text) // "") as $description
| (.hiringOrganization | [many][0]) as $employer
| posting((.identifier | id) // $url // (."@id" | text); {
    title: ((.title | text) // (.name | text)),
    raw_description: sections(section(null; $description),
      ({responsibilities, qualifications, skills, jobBenefits} | to_entries[]
       | (.value | text) as $more | select($more != null)
       | select($description | contains($more) | not)
       | section(.key | sub("^jobB"; "b") | .[:1] |= ascii_upcase; $more))),
    employment_types: [.employmentType | many | text | values | splits(" *[,;|] *") | employment],
    location_types: [.jobLocationType | many | workplace] | unique,
    application_url: $url,
    application_email: [.applicationContact | many | .email? | many | text | values | sub("^mailto:"; "")][0],
    date_posted: (.datePosted | moment),
    valid_through: (.validThrough | moment),
    company: {
      name: ($employer | name),
      website_url: ($employer | if isobject then [(.sameAs, .url) | link | values][0] else null end),
      logo_path: ($employer | if isobject then [.logo | link | values][0] else null end)
    },
    metadata: {industry: (.industry | name), category: [.occupationalCategory | many | name]}
  }
  * places(if .jobLocation | length > 0 then .jobLocation[] | place
           else .applicantLocationRequirements | many | {country_code: name} end)
  * ([.baseSalary | many][0] as $pay | (.salaryCurrency | text) as $currency
     | if $pay == null then {} else $pay | salary($currency) end))
