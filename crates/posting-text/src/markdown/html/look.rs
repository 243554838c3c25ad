//! What the styles of an element and of those around it show.

use super::{
    attributes::{Declaration, Order},
    colors::{Color, color},
};

#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Look {
    pub(super) is_gone: bool,
    is_invisible: bool,
    is_tiny: bool,
    /// As set at the element with the background or in it. Elsewhere it may come from the page.
    color: Option<Color>,
    pub(super) background: Option<Color>,
    /// The parts of selectors that match this element, one bit each.
    pub(super) here: u64,
    /// Those that match it or an element around it.
    pub(super) seen: u64,
}

impl Look {
    pub(super) fn is_unseen(&self) -> bool {
        let is_like_background = |color: Color| color[3] == 0 || self.background == Some(color);
        self.is_invisible || self.is_tiny || self.color.is_some_and(is_like_background)
    }

    /// Adds declarations, of which the last of a property counts.
    pub(super) fn with(mut self, declared: &[(Order, &Declaration)]) -> Self {
        let last = |names: &[&str]| {
            let mut last = declared.iter().rev();
            let found = last.find(|(_, (name, ..))| names.contains(&name.as_str()));
            found.map_or("", |(_, (_, value, _))| value)
        };
        let value = |name: &'static str| last(&[name]);
        self.is_gone |= value("display") == "none"
            || value("mso-hide") == "all"
            || pixels(value("opacity")) == Some(0.0)
            || is_moved(value)
            || is_cut(value);
        match value("visibility") {
            "hidden" | "collapse" => self.is_invisible = true,
            "visible" => self.is_invisible = false,
            _ => {}
        }
        self.resize(last(&["font", "font-size"]));
        let background = last(&["background", "background-color"]);
        let has_image = !matches!(value("background-image"), "" | "none");
        if has_image || !matches!(background, "" | "none" | "inherit" | "transparent") {
            self.background = color(background).filter(|_| !has_image);
            self.color = None;
        }
        if last(&["background-clip", "-webkit-background-clip"]) == "text" {
            self.color = None;
        } else if !matches!(value("color"), "" | "inherit" | "currentcolor") {
            self.color = color(value("color"));
        }
        self
    }

    fn resize(&mut self, font: &str) {
        let size = font.split('/').next().unwrap_or_default();
        let mut words = size.rsplit(' ');
        let Some((size, pixels)) = words.find_map(|word| Some((word, pixels(word)?))) else {
            self.is_tiny &= matches!(font, "" | "inherit" | "smaller" | "larger");
            return;
        };
        let is_relative = size.ends_with('%') || (size.ends_with("em") && !size.ends_with("rem"));
        // No reader can read text of one point.
        self.is_tiny = pixels <= 1.0 || (is_relative && self.is_tiny);
    }
}

fn is_moved<'a>(value: impl Fn(&'static str) -> &'a str) -> bool {
    /// Pages move text for programs this far out of the window, in pixels.
    const FAR: f64 = -900.0;
    let moved = |name| pixels(value(name)).unwrap_or_default();
    let is_transformed = |part: &str| {
        let (function, lengths) = part.split_once('(').unwrap_or_default();
        let mut lengths = lengths.split(',').filter_map(pixels);
        match function.trim() {
            "scale" | "scalex" | "scaley" => lengths.any(|scale| scale == 0.0),
            name => name.starts_with("translate") && lengths.any(|length| length < FAR),
        }
    };
    let sides = ["left", "top", "right", "bottom"];
    let is_free = matches!(value("position"), "absolute" | "fixed");
    (is_free && sides.into_iter().any(|side| moved(side) < FAR))
        || moved("text-indent") < FAR
        || moved("margin-left") + moved("padding-left") < FAR
        || value("transform").split(')').any(is_transformed)
}

fn is_cut<'a>(value: impl Fn(&'static str) -> &'a str) -> bool {
    const CLIPS: &str = "rect(0,0,0,0) rect(0000) rect(1px,1px,1px,1px) rect(0px,0px,0px,0px) \
        inset(50%) inset(100%)";
    let is_clip = |name| {
        let plain: String = value(name).split_whitespace().collect();
        !plain.is_empty() && CLIPS.split(' ').any(|clip| clip == plain)
    };
    let mut sizes = ["height", "max-height", "width", "max-width"].into_iter();
    is_clip("clip")
        || is_clip("clip-path")
        || (value("overflow") == "hidden" && sizes.any(|it| pixels(value(it)) == Some(0.0)))
}

/// The pixels of a length, in a usual font and window.
pub(super) fn pixels(length: &str) -> Option<f64> {
    let length = length.trim();
    let unit = length.trim_start_matches(|c: char| !c.is_ascii_alphabetic() && c != '%');
    let number = length.strip_suffix(unit)?.trim().parse::<f64>().ok()?;
    let scale = match unit {
        "em" | "rem" => 16.0,
        "vw" | "vh" => 10.0,
        "%" => 0.16,
        _ => 1.0,
    };
    Some(number * scale)
}
