# Greenhouse: https://boards-api.greenhouse.io/v1/boards/NAME/jobs?content=true&pay_transparency=true
# items: listed("jobs")

(.location.name | text) as $location
| [.offices | many | (.location | text) // (.name | text) | values] as $offices
| [.pay_input_ranges | many] as $pay
| posting(.id; {
    title: (.title | text),
    # The content is escaped once more than the other fields.
    raw_description: (.content | text | if . then @htmld else null end),
    location_types: [remote_in($location)],
    requisition_id,
    application_url: .absolute_url,
    date_posted: (.first_published | moment),
    valid_through: (.application_deadline | moment),
    company: {
      name: ((.company_name | text) // (.absolute_url | page_at("greenhouse.io") | named)),
      website_url: (.absolute_url | website("greenhouse.io"))
    },
    metadata: {
      location: $location,
      departments: [.departments | many | .name],
      fields: ([.metadata | many | {key: .name, value: .value}] | from_entries),
      pay_ranges: (if $pay | length > 1 then $pay else null end)
    }
  }
  # With several offices, the location is a summary of them.
  * places(if $offices | length > 1 then $offices[] | spot else $location | spot end)
  # Pay is in hundredths. Several ranges are for several places.
  * if $pay | length == 1 then
      $pay[0] | pay(.min_cents | values / 100; .max_cents | values / 100; .currency_type; null)
    else {} end)
