# Indeed's XML feed, and other feeds in the same form
# items: .source // error("there is no <source>") | [if isobject then .job | many else empty end]
# items: | (map(.company | text | values) | unique | length == 1) as $alone | .[] | . + {alone: $alone}

(.url | text) as $url
| posting((.referencenumber | text) // (.requisitionid | text) // $url; {
    title: (.title | text),
    raw_description: (.description | text),
    employment_types: [.jobtype | text | if . then splits(" *[,;/|] *") | employment else empty end],
    location_types: [.remotetype | workplace],
    requisition_id: (.requisitionid | text),
    application_url: $url,
    application_email: (.email | text),
    date_posted: (.date | moment),
    valid_through: (.expirationdate | moment),
    company: {
      name: ((.company | text) // (.sourcename | text)),
      # In a feed of several employers, the links lead to the board that created the feed.
      website_url: (if .alone then $url | origin else null end)
    },
    # The feed has pay as a text: "$50K per year".
    metadata: {
      pay: (.salary | text), category: (.category | text), experience: (.experience | text),
      education: (.education | text)
    }
  }
  * places({country_code: (.country | text), region: (.state | text), city: (.city | text),
            postal_code: (.postalcode | text)}))
