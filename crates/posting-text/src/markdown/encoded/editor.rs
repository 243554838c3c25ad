//! Reads the JSON documents of Quill, Lexical, Slate, `ProseMirror`, Draft.js and Editor.js.

use std::fmt::Write as _;

use serde_json::{Map, Value};

/// Members of an object that have the text of a posting.
const TEXTS: &str = include_str!("tables/members.txt");

pub(super) fn html(json: &str) -> Option<String> {
    let document: Value = serde_json::from_str(json).ok()?;
    let mut out = String::with_capacity(json.len());
    let all = |is: fn(&Value) -> bool| {
        let nodes = document.as_array().filter(|nodes| !nodes.is_empty());
        nodes.filter(|nodes| nodes.iter().all(is))
    };
    let operations = document["ops"].as_array();
    if let Some(operations) = operations.or(all(|node| !node["insert"].is_null())) {
        quill(operations, &mut out);
        return Some(out);
    }
    let slate = all(|node| node["children"].is_array() && node["type"].is_string());
    let (root, plate) = (&document["root"]["children"], &document["document"]);
    let mut lists = [&document["blocks"], root, &document["content"], plate].into_iter();
    let Some(children) = lists.find_map(Value::as_array).or(slate) else {
        return members(&document);
    };
    nodes(children, &mut out);
    Some(out)
}

/// The texts of an object that describes a posting, with its description first.
fn members(document: &Value) -> Option<String> {
    let mut objects = vec![document];
    while let Some(object) = objects.pop() {
        let texts = TEXTS.lines().filter_map(|name| object[name].as_str());
        let texts: Vec<&str> = texts
            .filter(|text| text.contains([' ', '<', '。']))
            .collect();
        if !texts.is_empty() {
            return Some(texts.join("\n\n"));
        }
        let only = object.as_array().filter(|list| list.len() == 1);
        let inner = object.as_object().into_iter().flat_map(Map::values);
        objects.extend(inner.chain(only.into_iter().flatten()));
    }
    None
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
        (Some("ordered"), _) => ordered(out, |out| out.push_str(line)),
        (Some(_), _) => add("ul", out, |out| add("li", out, |out| out.push_str(line))),
        (_, Some(level @ 1..=6)) => add(&format!("h{level}"), out, |out| out.push_str(line)),
        _ => add("p", out, |out| out.push_str(line)),
    }
}

fn ordered(out: &mut String, item: impl FnOnce(&mut String)) {
    const END: &str = "</ol>";
    if out.ends_with(END) {
        out.truncate(out.len() - END.len());
    } else {
        out.push_str("<ol>");
    }
    add("li", out, item);
    out.push_str(END);
}

fn nodes(children: &[Value], out: &mut String) {
    for node in children {
        let kind = node["type"].as_str().unwrap_or_default();
        let kind = kind.to_ascii_lowercase().replace(['-', '_'], "");
        let inner = node["children"].as_array().or(node["content"].as_array());
        let text = node["text"].as_str();
        let is_inline = "text tab hashtag mention emoji codehighlight".contains(&kind);
        if let Some(text) = text.filter(|_| is_inline) {
            leaf(text, node, out);
            continue;
        }
        let inner = inner.map_or(&[][..], Vec::as_slice);
        let data = &node["data"];
        // Editor.js has HTML in its texts.
        let html = ["title", "text", "message", "html", "caption"].map(|name| data[name].as_str());
        let html: Vec<&str> = html.into_iter().flatten().collect();
        let content = |out: &mut String| match (data["code"].as_str(), text) {
            (Some(code), _) => add("pre", out, |out| add_text(code, out)),
            (_, Some(text)) => add_text(text, out),
            _ if !html.is_empty() => out.push_str(&html.join("<br>")),
            _ => nodes(inner, out),
        };
        if data["items"].is_array() {
            items(data, out);
            continue;
        }
        if let Some(rows) = data["content"].as_array() {
            let mut cell = if data["withHeadings"] == true {
                "th"
            } else {
                "td"
            };
            add("table", out, |out| {
                for row in rows {
                    out.push_str("<tr>");
                    for html in row.as_array().into_iter().flatten() {
                        let html = html.as_str().unwrap_or_default();
                        add(cell, out, |out| out.push_str(html));
                    }
                    cell = "td";
                }
            });
            continue;
        }
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
            "unorderedlistitem" => {
                add("ul", out, |out| add("li", out, content));
                continue;
            }
            "orderedlistitem" => {
                ordered(out, content);
                continue;
            }
            "link" | "autolink" | "a" => {
                let url = node["url"].as_str().or(node["href"].as_str());
                let url = url.unwrap_or_default().replace('&', "&amp;");
                format!("a href=\"{}\"", url.replace('"', "&quot;"))
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
            "headingthree" | "h3" | "header" | "headerone" | "headertwo" | "headerthree" => {
                "h3".to_owned()
            }
            "heading" if matches!(tag, "h1" | "h2" | "h3" | "h4" | "h5" | "h6") => tag.to_owned(),
            "heading" => format!("h{}", level.unwrap_or(3).clamp(1, 6)),
            "table" => "table".to_owned(),
            "tablerow" => "tr".to_owned(),
            "tablecell" => "td".to_owned(),
            _ => "p".to_owned(),
        };
        add(&element, out, content);
    }
}

/// Adds a list of Editor.js, whose items may have lists.
fn items(list: &Value, out: &mut String) {
    let is_ordered = list["style"] == "ordered";
    add(if is_ordered { "ol" } else { "ul" }, out, |out| {
        for item in list["items"].as_array().into_iter().flatten() {
            let html = item.as_str().or(item["content"].as_str());
            let html = html.or(item["text"].as_str()).unwrap_or_default();
            add("li", out, |out| {
                out.push_str(html);
                items(item, out);
            });
        }
    });
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
