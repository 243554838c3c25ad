//! Finds hidden text, such as keywords. An element that never ends hides nothing.
//!
//! `aria-hidden` hides only from screen readers, so that text stays.

use std::collections::HashMap;

use html5gum::StartTag;

use super::attributes::{attribute, declarations};
use crate::markdown::tags::{Tag, tag};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Hiding {
    Whole,
    /// The text, unless an inner element sets this property.
    Text(Property),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Property {
    Visibility,
    FontSize,
    Color,
}

pub(super) fn of_style(style: &str, has_backgrounds: bool) -> Option<Hiding> {
    /// Pages move text for programs this far out of the window, in pixels.
    const FAR: f64 = -900.0;
    const CLIPS: [&str; 6] = [
        "rect(0,0,0,0)",
        "rect(0000)",
        "rect(1px,1px,1px,1px)",
        "rect(0px,0px,0px,0px)",
        "inset(50%)",
        "inset(100%)",
    ];
    let mut text = None;
    let (mut is_free, mut is_away, mut is_flat, mut is_cut) = (false, false, false, false);
    let (mut color, mut background) = (None, None);
    for (property, value) in declarations(style) {
        let length = length(&value);
        let is_zero = length == Some(0.0);
        match property.as_str() {
            "display" if value == "none" => return Some(Hiding::Whole),
            "mso-hide" if value == "all" => return Some(Hiding::Whole),
            "opacity" if is_zero => return Some(Hiding::Whole),
            "visibility" if matches!(value.as_str(), "hidden" | "collapse") => {
                text = Some(Hiding::Text(Property::Visibility));
            }
            // No reader can read text of one point.
            "font-size" if length.is_some_and(|size| size <= 1.0) && !value.ends_with("em") => {
                text = Some(Hiding::Text(Property::FontSize));
            }
            "font-size" if is_zero => text = Some(Hiding::Text(Property::FontSize)),
            "position" => is_free = matches!(value.as_str(), "absolute" | "fixed"),
            "left" | "top" | "right" | "bottom" | "margin-left" => {
                is_away |= length.is_some_and(|length| length < FAR);
            }
            "text-indent" if length.is_some_and(|length| length < FAR) => {
                return Some(Hiding::Whole);
            }
            "clip" | "clip-path" => {
                let plain: String = value.split_whitespace().collect();
                is_cut = CLIPS.contains(&plain.as_str());
            }
            "height" | "max-height" | "width" | "max-width" => is_flat |= is_zero,
            "overflow" if value == "hidden" => is_cut |= is_flat,
            "color" => color = Some(value),
            "background" | "background-color" => background = Some(value),
            _ => {}
        }
    }
    if (is_free && is_away) || is_cut {
        return Some(Hiding::Whole);
    }
    let is_hidden = color.is_some_and(|color| match background {
        _ if color == "transparent" => true,
        Some(background) => background == color,
        None => is_white(&color) && !has_backgrounds,
    });
    text.or(is_hidden.then_some(Hiding::Text(Property::Color)))
}

fn is_white(color: &str) -> bool {
    let plain: String = color.split_whitespace().collect();
    matches!(
        plain.as_str(),
        "white" | "#fff" | "#ffffff" | "rgb(255,255,255)"
    )
}

pub(super) fn shows(start: &StartTag<()>, hidden: Property) -> bool {
    let style = attribute(start, "style").unwrap_or_default();
    declarations(&style).any(|(property, value)| match (hidden, property.as_str()) {
        (Property::Visibility, "visibility") => value == "visible",
        (Property::FontSize, "font-size") => length(&value).is_none_or(|size| size > 1.0),
        (Property::Color, "color") => !is_white(&value) && value != "transparent",
        _ => false,
    })
}

fn length(value: &str) -> Option<f64> {
    let number = value.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
    number.trim().parse().ok()
}

#[derive(Debug)]
pub(super) struct Region {
    name: String,
    depth: usize,
    blocks: usize,
}

impl Region {
    pub(super) fn new(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            depth: 1,
            blocks: 0,
        }
    }

    pub(super) fn is_ended_by(&mut self, start: &StartTag<()>, name: &str) -> bool {
        if self.blocks == 0 && is_next_to(&self.name, name) {
            return true;
        }
        if name == self.name {
            self.depth += usize::from(!start.self_closing);
        } else if needs_end(name) {
            self.blocks += 1;
        }
        false
    }

    pub(super) fn close(&mut self, name: &str) -> Option<Closed> {
        if name == self.name {
            self.depth -= 1;
            return (self.depth == 0).then_some(Closed::Own);
        }
        if !needs_end(name) {
            return None;
        }
        if self.blocks == 0 {
            return Some(Closed::Around);
        }
        self.blocks -= 1;
        None
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Closed {
    Own,
    Around,
}

pub(super) fn ends_by_itself(name: &str) -> bool {
    matches!(name, "p" | "li" | "td" | "th" | "tr" | "dt" | "dd")
}

fn is_next_to(open: &str, next: &str) -> bool {
    match open {
        "p" => tag(next).is_some_and(Tag::is_block),
        "li" => next == "li",
        "td" | "th" => matches!(next, "td" | "th" | "tr" | "tbody" | "tfoot"),
        "tr" => matches!(next, "tr" | "tbody" | "tfoot"),
        "dt" | "dd" => matches!(next, "dt" | "dd"),
        _ => false,
    }
}

fn needs_end(name: &str) -> bool {
    !ends_by_itself(name) && tag(name).is_some_and(Tag::is_block)
}

/// For each element that may be dropped, the number of remaining end tags.
pub(super) struct EndTags(HashMap<String, usize>);

impl EndTags {
    pub(super) fn count(html: &str) -> Self {
        // Any element may be hidden, but few texts hide any.
        let any = [
            "hidden", "display", "mso-hide", "DISPLAY", "opacity", "position", "indent", "clip",
        ];
        let any = any.iter().any(|sign| html.contains(sign));
        let mut counts = HashMap::new();
        for (at, _) in html.match_indices("</") {
            let name: String = html[at + 2..]
                .chars()
                .take(16)
                .take_while(char::is_ascii_alphanumeric)
                .map(|c| c.to_ascii_lowercase())
                .collect();
            if any || matches!(tag(&name), Some(Tag::Dropped | Tag::DroppedRaw)) {
                *counts.entry(name).or_default() += 1;
            }
        }
        Self(counts)
    }

    pub(super) fn remain(&self, name: &str) -> bool {
        self.0.get(name).is_some_and(|count| *count > 0)
    }

    pub(super) fn passed(&mut self, name: &str) {
        if let Some(count) = self.0.get_mut(name) {
            *count = count.saturating_sub(1);
        }
    }
}
