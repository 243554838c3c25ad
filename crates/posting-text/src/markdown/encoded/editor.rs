//! Reads the JSON documents of Quill, Lexical, Slate, `ProseMirror`, Draft.js and Editor.js.

use std::fmt::Write as _;

use serde_json::Value;

pub(super) fn html(json: &str) -> Option<String> {
    let document: Value = serde_json::from_str(json).ok()?;
    let mut out = String::with_capacity(json.len());
    if let Some(operations) = document["ops"].as_array() {
        quill(operations, &mut out);
    } else if let Some(blocks) = document["blocks"].as_array() {
        for block in blocks {
            listed(block, &mut out);
        }
    } else if let Some(root) = document["root"]["children"].as_array() {
        nodes(root, &mut out);
    } else if let Some(content) = document["content"].as_array() {
        nodes(content, &mut out);
    } else {
        let children = document.as_array()?;
        let is_node = |node: &Value| node["children"].is_array() && node["type"].is_string();
        if children.is_empty() || !children.iter().all(is_node) {
            return None;
        }
        nodes(children, &mut out);
    }
    Some(out)
}

fn add_text(text: &str, out: &mut String) {
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '&' => out.push_str("&amp;"),
            '\n' => out.push_str("<br>"),
            c => out.push(c),
        }
    }
}

fn add(element: &str, out: &mut String, content: impl FnOnce(&mut String)) {
    let _ = write!(out, "<{element}>");
    content(out);
    let name = element.split(' ').next().unwrap_or(element);
    let _ = write!(out, "</{name}>");
}

fn styled(text: &str, is_strong: bool, is_emphasized: bool, link: Option<&str>, out: &mut String) {
    let mut content = String::new();
    add_text(text, &mut content);
    for (is_such, element) in [(is_emphasized, "em"), (is_strong, "strong")] {
        if is_such {
            content = format!("<{element}>{content}</{element}>");
        }
    }
    match link {
        Some(link) => {
            let link = link.replace('&', "&amp;").replace('"', "&quot;");
            let _ = write!(out, "<a href=\"{link}\">{content}</a>");
        }
        None => out.push_str(&content),
    }
}

/// The attributes of a Quill line are those of the line feed after it.
fn quill(operations: &[Value], out: &mut String) {
    let mut line = String::new();
    for operation in operations {
        let Some(text) = operation["insert"].as_str() else {
            continue;
        };
        let attributes = &operation["attributes"];
        let mut pieces = text.split('\n').peekable();
        while let Some(piece) = pieces.next() {
            if !piece.is_empty() {
                let is = |name: &str| attributes[name].as_bool() == Some(true);
                styled(
                    piece,
                    is("bold"),
                    is("italic"),
                    attributes["link"].as_str(),
                    &mut line,
                );
            }
            if pieces.peek().is_some() {
                quill_line(&std::mem::take(&mut line), attributes, out);
            }
        }
    }
    if !line.is_empty() {
        quill_line(&line, &Value::Null, out);
    }
}

fn quill_line(line: &str, attributes: &Value, out: &mut String) {
    match (attributes["list"].as_str(), attributes["header"].as_u64()) {
        (Some("ordered"), _) => ordered(line, out),
        (Some(_), _) => add("ul", out, |out| add("li", out, |out| out.push_str(line))),
        (_, Some(level @ 1..=6)) => add(&format!("h{level}"), out, |out| out.push_str(line)),
        _ => add("p", out, |out| out.push_str(line)),
    }
}

fn ordered(item: &str, out: &mut String) {
    const END: &str = "</ol>";
    if out.ends_with(END) {
        out.truncate(out.len() - END.len());
    } else {
        out.push_str("<ol>");
    }
    add("li", out, |out| out.push_str(item));
    out.push_str(END);
}

/// A block of Draft.js or Editor.js.
fn listed(block: &Value, out: &mut String) {
    let kind = block["type"].as_str().unwrap_or_default();
    if let Some(items) = block["data"]["items"].as_array() {
        let is_ordered = block["data"]["style"] == "ordered";
        add(if is_ordered { "ol" } else { "ul" }, out, |out| {
            for item in items {
                let text = item
                    .as_str()
                    .or(item["content"].as_str())
                    .unwrap_or_default();
                add("li", out, |out| out.push_str(text));
            }
        });
        return;
    }
    let mut content = String::new();
    match (block["data"]["text"].as_str(), block["text"].as_str()) {
        // Editor.js has HTML in its texts.
        (Some(text), _) => content.push_str(text),
        (_, Some(text)) => add_text(text, &mut content),
        _ => return,
    }
    match kind {
        "unordered-list-item" => add("ul", out, |out| {
            add("li", out, |out| out.push_str(&content));
        }),
        "ordered-list-item" => ordered(&content, out),
        "header" | "header-one" | "header-two" | "header-three" => {
            add("h3", out, |out| out.push_str(&content));
        }
        _ => add("p", out, |out| out.push_str(&content)),
    }
}

/// The parser of JSON bounds the depth.
fn nodes(children: &[Value], out: &mut String) {
    for node in children {
        let kind = node["type"].as_str().unwrap_or_default();
        let kind = kind.to_ascii_lowercase().replace(['-', '_'], "");
        let inner = node["children"].as_array().or(node["content"].as_array());
        if let Some(text) = node["text"].as_str() {
            leaf(text, node, out);
            continue;
        }
        let inner = inner.map_or(&[][..], Vec::as_slice);
        let level = node["attrs"]["level"].as_u64().or(node["level"].as_u64());
        let tag = node["tag"].as_str().unwrap_or_default();
        let element = match kind.as_str() {
            "linebreak" | "hardbreak" | "break" => {
                out.push_str("<br>");
                continue;
            }
            "horizontalrule" | "divider" => {
                out.push_str("<hr>");
                continue;
            }
            "link" | "autolink" | "a" => {
                let url = node["url"]
                    .as_str()
                    .or(node["href"].as_str())
                    .unwrap_or_default();
                format!(
                    "a href=\"{}\"",
                    url.replace('&', "&amp;").replace('"', "&quot;")
                )
            }
            "list" if tag == "ol" || node["listType"] == "number" => "ol".to_owned(),
            "numberedlist" | "orderedlist" | "ol" | "olist" => "ol".to_owned(),
            "list" | "bulletedlist" | "bulletlist" | "unorderedlist" | "ul" => "ul".to_owned(),
            "listitem" | "li" => "li".to_owned(),
            "listitemchild" | "listitemtext" | "lic" | "text" | "root" | "doc" => {
                nodes(inner, out);
                continue;
            }
            "quote" | "blockquote" => "blockquote".to_owned(),
            "headingone" | "h1" => "h1".to_owned(),
            "headingtwo" | "h2" => "h2".to_owned(),
            "headingthree" | "h3" => "h3".to_owned(),
            "heading" if matches!(tag, "h1" | "h2" | "h3" | "h4" | "h5" | "h6") => tag.to_owned(),
            "heading" => format!("h{}", level.unwrap_or(3).clamp(1, 6)),
            "table" => "table".to_owned(),
            "tablerow" => "tr".to_owned(),
            "tablecell" => "td".to_owned(),
            _ => "p".to_owned(),
        };
        add(&element, out, |out| nodes(inner, out));
    }
}

/// Styles are bits in Lexical, members in Slate, a list of marks in `ProseMirror`.
fn leaf(text: &str, node: &Value, out: &mut String) {
    let format = node["format"].as_u64().unwrap_or_default();
    let marks = node["marks"].as_array();
    let marked = |kind: &str| {
        let mut marks = marks.into_iter().flatten();
        marks.find(|mark| mark["type"] == kind)
    };
    let is_strong =
        format & 1 > 0 || node["bold"] == true || marked("bold").or(marked("strong")).is_some();
    let is_emphasized =
        format & 2 > 0 || node["italic"] == true || marked("italic").or(marked("em")).is_some();
    let link = marked("link").and_then(|link| link["attrs"]["href"].as_str());
    styled(text, is_strong, is_emphasized, link, out);
}
