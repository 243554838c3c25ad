# CSV whose columns are named like the fields: id, title, raw_description, company.name, ...

def named_so: {
  description: "raw_description", url: "application_url", company: "company.name",
  company_name: "company.name", website_url: "company.website_url",
  company_website_url: "company.website_url", logo_path: "company.logo_path"
};

def nested($path; $value):
  if $path == [] then $value else {($path[0]): nested($path[1:]; $value)} end;

posting(.id; reduce (del(.id) | to_entries[]) as $cell ({};
  (named_so[$cell.key] // $cell.key | split(".")) as $path
  | . * nested($path;
      $cell.value
      | if $path[0] | test("^salary_m") then number
        elif $path[0] | test("^(employment|location)_types$") then
          if isstring then [splits(" *[,;|] *")] else . end
        else . end)))
