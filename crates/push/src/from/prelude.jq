# The definitions that every program of --from can call.

# The values of a list, of a single value, or of nothing.
def many: if isarray then .[] else values end;

# The items of a list in the answer of an API. An answer with an `id` is a single item.
def listed($name):
  if has($name) then .[$name][] elif has("id") then .
  else error("there is no \"\($name)\" in \(tojson[:80])") end;

# Text without white space around it, or null. An element of XML with attributes is its text.
def text:
  if isobject then ."#text" else . end
  | if isstring then trim | if . == "" then null end
    elif isnumber then tostring
    else null end;

# A number, also from a text.
def number:
  if isstring then if test("^ *-?[0-9]+([.][0-9]+)? *$") then trim | sub("^0+(?<d>[0-9])"; .d) | tonumber end end;

# An object without empty members, also in the objects in it.
def compact:
  if isobject then
    with_entries(.value |= compact | select(.value | . == null or . == "" or . == [] or . == {} | not))
  end;

# The line of an item.
def posting(id; payload): {id: id, payload: (payload | compact)};

# The origin of a URL, and its first directory.
def origin: text | if . then capture("^(?<origin>https?://[^/?#]+)")?.origin end;
def slug: text | if . then capture("^https?://[^/?#]+/(?<slug>[^/?#]+)")?.slug end;
# The name of an employer's page at the provider $host: acme for https://jobs.example/acme/123.
# null for any other URL, which is on the employer's own website.
def page_at($host): if (origin // "") | contains($host) then slug else null end;
def website($host):
  origin as $origin | page_at($host) as $page
  | if $page then $origin + "/" + $page else $origin end;
# A company's name from the name in a URL: Acme Labs from acme-labs.
def named:
  if . then gsub("[-_+]|%20"; " ") | [splits(" +") | .[:1] |= ascii_upcase] | join(" ") end;

# HTML under a heading, if there is any.
def section($title; $html):
  ($html | text) as $html
  | if $html then (if $title | text then "<h3>" + ($title | text) + "</h3>\n" else "" end) + $html
    else empty end;
def sections(parts): [parts] | join("\n");

# RFC 3339 from a date, a time, RFC 822 or the seconds or milliseconds since 1970. Any other value
# is unchanged.
def moment:
  if isnumber then (if . > 100000000000 then . / 1000 end) | floor | todate
  else
    text
    | if . == null then null
      elif test("^[0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9]") then
        sub(" ?UTC$"; "Z") | .[:10] + "T" + .[11:]
        | sub("T(?<t>[0-9]{2}:[0-9]{2})(?<rest>Z|[+-]|$)"; "T\(.t):00\(.rest)")
        | sub(" (?<sign>[+-])"; .sign) | sub("(?<h>[+-][0-9]{2})(?<m>[0-9]{2})$"; "\(.h):\(.m)")
        | if test("(Z|[+-][0-9]{2}:[0-9]{2})$") then . else . + "Z" end
      elif test("^([A-Za-z]+, +)?[0-9]{1,2} [A-Z][a-z]{2} [0-9]{4} ") then
        . as $text
        | capture("(?<d>[0-9]{1,2}) (?<m>[A-Z][a-z]{2}) (?<y>[0-9]{4}) +(?<t>[0-9:]+) *(?<z>[A-Z]+|[+-][0-9]{4})?")
        | .m as $m
        | (["Jan","Feb","Mar","Apr","May","Jun","Jul","Aug","Sep","Oct","Nov","Dec"] | index($m)) as $month
        | ({EST: "-05:00", EDT: "-04:00", CST: "-06:00", CDT: "-05:00", MST: "-07:00", MDT: "-06:00",
            PST: "-08:00", PDT: "-07:00"}[.z // ""]) as $zone
        | if $month == null then $text
          else
            "\(.y)-\("0\($month + 1)"[-2:])-\("0\(.d)"[-2:])T\(.t)\(if .t | length == 5 then ":00" else "" end)"
            + ($zone // (.z // "" | if test("^[+-]") then .[:3] + ":" + .[3:] else "Z" end))
          end
      end
  end;

# Enumerations: converts other words with the same meaning. Any other value is unchanged.
def employment:
  text | if . then
    . as $word | ascii_downcase | gsub("[^a-z]"; "")
    | if startswith("full") then "full-time"
      elif startswith("part") then "part-time"
      elif test("^(contract|freelance|temp)") then "contract"
      elif startswith("intern") or startswith("trainee") then "internship"
      else $word end
  else empty end;
def workplace:
  text | if . then
    . as $word | ascii_downcase | gsub("[^a-z]"; "")
    | if test("^(remote|fullyremote|telecommut|fully$)") then "remote"
      elif test("^hybrid|^temporar") then "hybrid"
      elif test("^(onsite|office|inoffice|inperson|none$)") then "on-site"
      elif test("^(unspecified|other)$") then empty
      else $word end
  else empty end;
def period:
  text | if . then
    ascii_downcase
    | if test("semi|bi-|bi_|biw|two|fortnight") then null
      elif test("year|annu|\\byr|p\\.a\\.") then "annually"
      elif test("month") then "monthly"
      elif test("week") then "weekly"
      elif test("hour|\\bhr") then "hourly"
      else null end
  end;

# Pay. If its period is not one of the fields', such as a day, the pay becomes a text in `metadata`.
def pay($min; $max; $currency; $per):
  ($min | number | if . == 0 then null end) as $min
  | ($max | number | if . == 0 then null end) as $max
  | if $min == null and $max == null then {}
    elif ($per | text) != null and ($per | period) == null then
      {metadata: {pay: ([([$min, $max | values | tostring] | unique | join(" - ")), ($currency | text),
        ($per | text)] | map(values) | join(" "))}}
    else
      {salary_min: $min, salary_max: $max, salary_currency_code: ($currency | text),
       salary_period: ($per | period)}
    end;

# The places of a job: objects with country_code, region, city and postal_code. The first place fills
# the location_ fields; several places are also in `locations`.
def places(list):
  ([list | map_values(text) | compact | select(. != {})]
   | reduce .[] as $place ([]; if index([$place]) then . else . + [$place] end)) as $all
  | ($all[0] // {}) as $first
  | {location_country_code: $first.country_code, location_region: $first.region,
     location_city: $first.city, location_postal_code: $first.postal_code}
    + if $all | length > 1 then {locations: $all} else {} end;
# The place in a text. "Remote" is no place.
def spot: text | if . == null or test("^remote$"; "i") then {} else {city: .} end;
def remote_in($text): if $text // "" | test("\\bremote\\b"; "i") then "remote" else empty end;

# schema.org: the postings of a page. A node that is only an "@id" is replaced by the node with it.
def is_a($type): [."@type" | many | tostring] | any(test("(^|[/:#])" + $type + "$"));
def job_postings:
  (reduce (.. | objects | select(has("@id") and length > 1)) as $node ({}; .[$node."@id" | tostring] = $node)) as $nodes
  | def node: if isobject and has("@id") and length == 1 then $nodes[."@id" | tostring] // . else . end;
    .. | objects | select(is_a("JobPosting"))
    | .hiringOrganization |= node
    | .jobLocation |= [many | node];
