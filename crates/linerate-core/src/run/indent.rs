//! JSON that is indented down to a depth and dense below it.

use std::io;

use serde_json::ser::Formatter;

/// Below this depth everything stays on one line: the fields of one end's parts, and one point of
/// a series.
const DEPTH: usize = 4;

/// A formatter for `serde_json` that breaks lines only near the top of the document.
#[derive(Debug, Default)]
pub(super) struct Indented {
    depth: usize,
    has_value: bool,
}

impl Indented {
    fn begin<W: io::Write + ?Sized>(&mut self, out: &mut W, bracket: u8) -> io::Result<()> {
        self.depth += 1;
        self.has_value = false;
        out.write_all(&[bracket])
    }

    fn end<W: io::Write + ?Sized>(&mut self, out: &mut W, bracket: u8) -> io::Result<()> {
        self.depth -= 1;
        if self.has_value && self.depth < DEPTH {
            self.new_line(out)?;
        }
        self.has_value = true;
        out.write_all(&[bracket])
    }

    fn item<W: io::Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if !first {
            out.write_all(b",")?;
        }
        if self.depth <= DEPTH { self.new_line(out) } else { Ok(()) }
    }

    fn new_line<W: io::Write + ?Sized>(&self, out: &mut W) -> io::Result<()> {
        write!(out, "\n{:width$}", "", width = self.depth)
    }
}

impl Formatter for Indented {
    fn begin_array<W: io::Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(out, b'[')
    }

    fn end_array<W: io::Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.end(out, b']')
    }

    fn begin_array_value<W: io::Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.item(out, first)
    }

    fn end_array_value<W: io::Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }

    fn begin_object<W: io::Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(out, b'{')
    }

    fn end_object<W: io::Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        self.end(out, b'}')
    }

    fn begin_object_key<W: io::Write + ?Sized>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        self.item(out, first)
    }

    fn begin_object_value<W: io::Write + ?Sized>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(b": ")
    }

    fn end_object_value<W: io::Write + ?Sized>(&mut self, _: &mut W) -> io::Result<()> {
        self.has_value = true;
        Ok(())
    }
}
