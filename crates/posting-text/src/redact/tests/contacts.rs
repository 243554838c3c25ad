//! Websites, addresses and numbers.

use super::{ACME, check};

#[test]
fn websites() {
    check(
        "label",
        ("The Firm", "https://jobs.zentrola.co.uk/x"),
        "Zentrola hires",
        "[company] hires",
    );
    check(
        "label of words",
        ("The Firm", "https://visitfjordal.com"),
        "Visit Fjordal, Visit Fjordals",
        "[company], [company]",
    );
    check(
        "front of a label",
        ("Solvik barnehage", "https://norvelianursery.no"),
        "Norvelia har",
        "[company] har",
    );
    check(
        "three letters",
        ("The Firm", "https://zqx.gov"),
        "ZQX or zqxes",
        "[company] or zqxes",
    );
}

#[test]
fn addresses() {
    check("mail", ACME, "a.b-c+d@mail.example.org.", "[email].");
    check(
        "mail link",
        ACME,
        "<a href='mailto:x@y.org'>x@y.org</a>",
        "[email]",
    );
    check(
        "escaped underscore",
        ACME,
        r"**x** jobs\_at@x.com",
        "**x** [email]",
    );
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
        check(
            hidden,
            ACME,
            &format!("Write {hidden} now"),
            "Write [email] now",
        );
    }
    check(
        "url",
        ACME,
        "See https://x.org/a_(b)?c=d. End",
        "See [link]. End",
    );
    check("url in parentheses", ACME, "(www.x.org/a)", "([link])");
    check(
        "domain",
        ACME,
        "Visit jobs.example.org/apply, or example.no",
        "Visit [link], or [link]",
    );
    check("own domain", ACME, "Acmera.Com is ours", "[link] is ours");
    check(
        "link text that is a URL",
        ACME,
        "<a href='https://x.org'>https://x.org</a>",
        "[link]",
    );
    check(
        "a link keeps its text",
        ACME,
        "<a href='https://x.org'>our page</a>",
        "our page",
    );
}

#[test]
fn no_addresses() {
    for text in [
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
    ] {
        check(text, ACME, text, text);
    }
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
        check(number, ACME, &format!("Ask {number} or"), "Ask [phone] or");
    }
    for (text, expect) in [
        ("tlf. 4000 7151", "tlf. [phone]"),
        ("Telefon: 91812345 / 91812346", "Telefon: [phone] / [phone]"),
        ("call us at 612 345 678", "call us at [phone]"),
        ("Tél : 612345678.", "Tél : [phone]."),
    ] {
        check(text, ACME, text, expect);
    }
}

#[test]
fn no_phones() {
    for text in [
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
    ] {
        check(text, ACME, text, text);
    }
}
