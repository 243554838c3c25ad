# Teamtailor's RSS: https://NAME.teamtailor.com/jobs.rss
# items: .rss.channel | (.title | text) as $name | .item | many | . + {channel: $name}

(.link | text) as $url
| posting((.guid | text) // $url; {
    title: (.title | text),
    raw_description: (.description | text),
    location_types: [.remoteStatus | workplace],
    application_url: $url,
    date_posted: (.pubDate | moment),
    company: {name: ((."company_name" | text) // .channel), website_url: ($url | origin)},
    metadata: {department: (."tt:department" | text), role: (."tt:role" | text)}
  }
  * places(."tt:locations" | if isobject then ."tt:location" | many else empty end
    | if isobject then
        {country_code: ."tt:country", city: ((."tt:city" | text) // ."tt:name"), postal_code: ."tt:zip"}
      else spot end))
