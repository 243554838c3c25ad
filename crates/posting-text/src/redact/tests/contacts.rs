//! Websites, addresses and numbers.

use super::{ACME, check, check_cases};

#[test]
fn websites() {
    check_cases(&[
        // Label.
        "The Firm, https://jobs.zentrola.co.uk/x | {c:Zentrola} hires",
        // Label of words.
        "The Firm, https://visitfjordal.com | {c:Visit Fjordal}, {c:Visit Fjordals}",
        // Front of a label.
        "Solvik barnehage, https://norvelianursery.no | {c:Norvelia} har",
        // Three letters.
        "The Firm, https://zqx.gov | {c:ZQX} or zqxes",
    ]);
}

#[test]
fn addresses() {
    check_cases(&[
        // Mail.
        "{e:a.b-c+d@mail.example.org}.",
        // Mail link.
        "{e:<a href='mailto:x@y.org'>x@y.org</a>}",
        // Escaped underscore.
        "**x** {e:jobs\\_at@x.com}",
    ]);
    for hidden in [
        "jobs [at] example [dot] org",
        "jobs(at)example.org",
        "jobs (a) example.org",
        "jobs at example dot org",
        "jobs @ example.org",
        "jobs arobase example point org",
        "jobs{at}example{dot}co{dot}uk",
        "jobs AT example DOT org",
    ] {
        check(ACME, &format!("Write {hidden} now"), "Write [email] now");
    }
    check_cases(&[
        // Url.
        "See {u:https://x.org/a_(b)?c=d}. End",
        // Url in parentheses.
        "({u:www.x.org/a})",
        // Domain.
        "Visit {u:jobs.example.org/apply}, or {u:example.no}",
        // Own domain.
        "{u:Acmera.Com} is ours",
        // Link text that is a URL.
        "{u:<a href='https://x.org'>https://x.org</a>}",
        // A link keeps its text.
        "<a href='https://x.org'>our page</a> => our page",
    ]);
}

#[test]
fn no_addresses() {
    check_cases(&[
        "e.g. this, i.e. that, etc.and more",
        "Node.js, ASP.NET, Socket.io and Vue.js",
        "Frame.io, Draw.io and monday.com",
        "the end.Start here",
        "End.In the morning",
        "z.B. so, bl.a. slik, p.ex. ça",
        "Org.nr, tlf.nr. og f.eks. slik",
        "file.md and main.rs",
        "version 1.2.3",
        "M.Sc. or B.Tech and Ph.D",
        "at work.in the office",
        "We work at nine",
        "c.à.d. rien",
        "(a) first (b) second",
        "meet me at the dot com bubble",
        "and/or",
        "24/7, 9.00-17.00",
        "@Override and @angular/core, 3 @ 12",
    ]);
}

#[test]
fn phones() {
    for number in [
        "+47 918 12 345",
        "+33 (0)1 23 45 67 89",
        "0047 91812345",
        "+1 (555) 123-4567",
        "(555) 123-4567",
        "555-123-4567",
        "1-800-555-0199",
        "01 23 45 67 89",
        "0123456789",
        "01.23.45.67.89",
        "08-123 45 67",
        "030/1234567",
        "020 7946 0958",
        "918 12 345",
        "22 33 44 55",
        "(11) 91234-5678",
        "138 1234 5678",
        "0561 / 99 83 41-0",
        "8 8172 55-04-19",
        "(342) 250-11-86",
        "(32) 230 11 54",
        "56/501-920",
    ] {
        check(ACME, &format!("Ask {number} or"), "Ask [phone] or");
    }
    check_cases(&[
        "tlf. {p:4000 7151}",
        "Telefon: {p:91812345} / {p:91812346}",
        "call us at {p:612 345 678}",
        "Tél : {p:612345678}.",
    ]);
}

#[test]
fn no_phones() {
    check_cases(&[
        "$142,701 to $170,800",
        "100 000 - 120 000 €",
        "45 000 000 kr",
        "2019-2020",
        "01.02.2024",
        "2024-01-31",
        "01/02/2024 - 31/12/2024",
        "08.00-16.00",
        "06.30 – 17.30",
        "0800-1600",
        "K1A 0B1",
        "75014 Paris",
        "12345-6789",
        "GS-13/14",
        "10%-20%",
        "ID 0123456789",
        "ref: 01 23 45 67 89",
        "5 CFR 213.3102(r)",
        "+10 000 000 users",
        "35–40 h",
        "1,000,000 people",
        "kl. 08.00 - 15.30",
        "100200300",
        "0.5 - 0.75",
        "12/345",
        "8 100-200 kr",
        "1 234 567,89",
        "R-0123456789",
        "1990 2000 2010",
    ]);
}
