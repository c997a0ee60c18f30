//! Reports as text, table, chart, JSON, CSV, NetPIPE file, SVG and HTML.
