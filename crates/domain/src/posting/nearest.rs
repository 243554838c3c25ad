//! Names that sources use for a posting's fields.

use fields::body;

use super::PostingPatch;

/// Fields, and other names that sources use for each, in lower case and without separators.
const OTHERS: &str = "
    title: jobtitle position name headline role
    raw_description: description body content text html jobdescription descriptionhtml
    employment_types: employmenttype jobtype type contracttype commitment schedule
    location_types: isremote remote remotetype workplacetype workplace joblocationtype workmode
    location_types: telecommuting
    location_country_code: country countrycode addresscountry locationcountry
    location_city: city location place town addresslocality locality
    location_region: state region province addressregion county
    location_postal_code: zip zipcode postcode postalcode
    locations: joblocation joblocations places offices additionallocations
    salary_min: minamount minsalary salaryfrom minvalue paymin
    salary_max: maxamount maxsalary salaryto maxvalue paymax
    salary_currency_code: currency salarycurrency paycurrency
    salary_period: interval payperiod salaryinterval salaryunit unittext
    application_email: email contactemail applyemail
    application_url: url link href applyurl applylink joburl joburldirect absoluteurl
    valid_through: deadline closingdate expiresat expires expirydate expirationdate closeat
    valid_through: applicationdeadline closesat enddate
    date_posted: postedat postedon dateposted publicationdate publishedon created createdat
    date_posted: firstpublished pubdate
    requisition_id: requisition reqid reference referencenumber refnumber jobnumber
    company.name: companyname employer employername hiringorganization organization
    company.website_url: companyurl companywebsite website websiteurl companydomain
    company.logo_path: companylogo logo logourl";

pub(crate) fn nearest(path: &str) -> Option<String> {
    let inner = path.strip_prefix("company.");
    let name = inner.unwrap_or(path);
    let name = name.chars().filter(|c| c.is_alphanumeric());
    let name = name.collect::<String>().to_lowercase();
    let means = |others: &str| others.split(' ').any(|other| other == name);
    let mut fields = OTHERS
        .lines()
        .filter_map(|row| row.trim_start().split_once(": "));
    let found = fields.find(|(field, others)| match inner {
        None => means(others),
        // Other fields of the company are not fields of the posting.
        Some(_) => field.starts_with("company.") && (means(others) || is_short(field, &name)),
    });
    let found = found.map(|(field, _)| field.to_owned());
    found.or_else(|| body::nearest_field::<PostingPatch>(path))
}

fn is_short(field: &str, name: &str) -> bool {
    field == "company.website_url" && ["url", "domain", "sameas", "homepage"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_sources_call_a_field_is_known() {
        let pairs = "country location_country_code|url application_url|is_remote location_types|\
            employmentType employment_types|deadline valid_through|closing_date valid_through|\
            expires_at valid_through|application_deadline valid_through|\
            company_name company.name|company_url company.website_url|company.url \
            company.website_url|company.logo company.logo_path|job-title title|zip \
            location_postal_code|titel title|company.nam company.name|date-posted date_posted";
        for pair in pairs.split('|') {
            let (name, field) = pair.trim().split_once(' ').unwrap();
            assert_eq!(nearest(name).as_deref(), Some(field.trim()), "{name}");
        }
        for name in ["x", "benefits", "company.city", ""] {
            assert_eq!(nearest(name), None, "{name}");
        }
    }
}
