//! Rows of comma-separated values, as every table of them is written.

use crate::error::RenderError;

/// Rows of CSV (RFC 4180). A text that a spreadsheet would calculate stands behind an apostrophe, and is shown as text.
pub(crate) struct Rows(::csv::Writer<Vec<u8>>);

impl Rows {
    /// Rows below this header.
    pub(crate) fn of(header: impl IntoIterator<Item: AsRef<str>>) -> Result<Self, RenderError> {
        let mut rows = Self(::csv::Writer::from_writer(Vec::new()));
        rows.add(header)?;
        Ok(rows)
    }

    pub(crate) fn add(&mut self, cells: impl IntoIterator<Item: AsRef<str>>) -> Result<(), RenderError> {
        for text in cells {
            let text = text.as_ref();
            if is_formula(text) {
                self.0.write_field(format!("'{text}"))?;
            } else {
                self.0.write_field(text)?;
            }
        }
        Ok(self.0.write_record(None::<&[u8]>)?)
    }

    pub(crate) fn finish(self) -> Result<String, RenderError> {
        let bytes = self.0.into_inner().map_err(|error| ::csv::Error::from(error.into_error()))?;
        Ok(String::from_utf8(bytes).expect("only text was written"))
    }
}

/// Whether a spreadsheet would take `text` for a formula. Source: OWASP, CSV Injection.
fn is_formula(text: &str) -> bool {
    let is_number = text.parse::<f64>().is_ok_and(f64::is_finite);
    text.starts_with(['=', '+', '-', '@', '\t', '\r']) && !is_number
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_is_a_formula_and_every_number_stays_one() {
        const ALPHABET: [&str; 14] =
            ["", "=", "+", "-", "@", "\t", "\r", "\n", ",", "\"", "'", "3", ".", "e"];
        for nth in 0..ALPHABET.len().pow(4) {
            let letter = |place: u32| ALPHABET[nth / ALPHABET.len().pow(place) % ALPHABET.len()];
            let text: String = (0..4).map(letter).collect();
            let mut rows = Rows::of(["first", "text"]).expect("a header");
            rows.add(["1", &text]).expect("a row");
            let written = rows.finish().expect("text");
            let mut read = ::csv::Reader::from_reader(written.as_bytes());
            let line = read.records().next().expect("a row").expect("well formed");
            let (shown, is_number) = (&line[1], text.parse::<f64>().is_ok());
            let is_formula = text.starts_with(['=', '+', '-', '@', '\t', '\r']) && !is_number;
            let expected = if is_formula { format!("'{text}") } else { text.clone() };
            assert_eq!(shown, expected, "{text:?}");
        }
    }
}
