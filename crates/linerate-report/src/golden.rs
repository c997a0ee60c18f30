//! Pages as texts that a reviewer can read, for snapshots.

/// Asserts that a page names nothing outside of itself.
pub(crate) fn asks_for_nothing(page: &str) {
    // A name of SVG's own, and a part of the same page.
    let page = page.replace("http://www.w3.org/2000/svg", "").replace("url(#", "");
    for address in ["http://", "https://", "url(", "@import", "src=", "fetch(", "XMLHttpRequest", "import("] {
        assert!(!page.contains(address), "{address}");
    }
}

/// What a reader of a page sees: its text without style, script, pictures and plans, a line for each row of a
/// table with `|` between cells and `/=` before rows whose ends differ.
pub(crate) fn page(html: &str) -> String {
    let mut text = html.to_owned();
    for element in ["style", "script", "svg", "pre"] {
        text = without(&text, element);
    }
    text = text.replace("<tr class=\"differs\">", "<tr>/= ");
    for (cell, next) in
        [("</td><td", "</td> | <td"), ("</th><td", "</th> | <td"), ("</th><th", "</th> | <th")]
    {
        text = text.replace(cell, next);
    }
    text = text.replace("</dt>", ": ").replace("<details open>", "<details>[open]");
    for block in ["tr", "p", "h1", "h2", "h3", "dd", "li", "summary", "figcaption", "button", "title"] {
        text = text.replace(&format!("</{block}>"), "\n");
    }
    let mut bare = String::new();
    for (nth, part) in text.split('<').enumerate() {
        bare.push_str(if nth == 0 { part } else { part.split_once('>').map_or("", |(_, rest)| rest) });
    }
    let lines = bare.lines().map(|line| line.split_whitespace().collect::<Vec<_>>().join(" "));
    lines.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// `text` without these elements.
fn without(text: &str, element: &str) -> String {
    let (open, close) = (format!("<{element}"), format!("</{element}>"));
    let mut parts = text.split(&open);
    let mut rest = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        rest.push_str(part.split_once(&close).map_or("", |(_, after)| after));
    }
    rest
}
