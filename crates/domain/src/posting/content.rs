//! Digests of the fields that enrichment reads, and of its results.

use kernel::digest::{self, digest};

use super::{Details, Location};
use crate::{
    company::Company,
    posting::{Coordinates, EnrichedTexts, Findings},
};

digest! {
    /// A hash of title, description, places, company, registrable application domains, and company
    /// name. Contents with equal hashes need one enrichment.
    ///
    /// Two SHA-256 are combined: the last `NAME` bytes cover the company's name, the others the
    /// posting. So a change of only the name is recognisable.
    ContentHash
}

/// The bytes for the company's name. A collision of names is no attack, because a company chooses
/// only its own name. 192 bits remain for the posting.
const NAME: usize = 8;

impl ContentHash {
    /// The hash of the enricher's input.
    pub fn of(details: &Details, company: &Company) -> Self {
        let id = company.id.uuid();
        let city = details.location_city.as_deref().unwrap_or_default();
        let country = details.location_country_code;
        let country = country.map_or("", |code| code.as_str());
        let domains = details.domains();
        let [link, mail] = domains
            .each_ref()
            .map(|it| it.as_deref().unwrap_or_default());
        let own: [&[u8]; 7] = [
            details.title.as_bytes(),
            details.raw_description.essence(),
            city.as_bytes(),
            country.as_bytes(),
            id.as_bytes(),
            link.as_bytes(),
            mail.as_bytes(),
        ];
        let region = details.location_region.as_deref().unwrap_or_default();
        let postal_code = details.location_postal_code.as_deref().unwrap_or_default();
        let locations = details
            .locations
            .iter()
            .flat_map(super::location::Locations::as_slice);
        let locations: Vec<_> = locations.map(Location::words).collect();
        let places = [region, postal_code].into_iter();
        let places = places.chain(locations.iter().map(String::as_str));
        let mut hash = digest::of_parts(own.into_iter().chain(places.map(str::as_bytes)));
        let name = digest::of_parts([company.name.as_bytes()]);
        hash[32 - NAME..].copy_from_slice(&name[..NAME]);
        Self(hash)
    }

    /// Whether only the company's name differs.
    pub fn differs_by_name_alone(&self, other: &Self) -> bool {
        let [(own, name), (others, other_name)] =
            [self, other].map(|hash| hash.0.split_at(32 - NAME));
        own == others && name != other_name
    }
}

digest! {
    /// A SHA-256 of texts and coordinates. A different one means new enrichment results.
    TextsDigest
}

impl TextsDigest {
    /// The digest of an enricher's result.
    pub fn of(
        texts: &EnrichedTexts,
        coordinates: Option<Coordinates>,
        findings: &Findings,
    ) -> Self {
        let EnrichedTexts {
            markdown,
            redacted_markdown,
            redacted_title,
        } = texts;
        let bytes = |place: &Option<Coordinates>| match place {
            Some(place) => [place.latitude.to_le_bytes(), place.longitude.to_le_bytes()].concat(),
            None => Vec::new(),
        };
        let place = bytes(&coordinates);
        let parts = [markdown.as_bytes(), redacted_markdown.as_bytes(), &place];
        let title = redacted_title.as_deref().map(str::as_bytes);
        let places: Vec<_> = findings.places.iter().map(bytes).collect();
        let places = places.iter().map(Vec::as_slice);
        let remarks = findings.remarks.iter();
        let remarks = remarks.map(|remark| remark.sentence.as_bytes());
        let parts = parts.into_iter().chain(title).chain(places).chain(remarks);
        Self(digest::of_parts(parts))
    }
}
