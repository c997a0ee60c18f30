//! Files: runs and reports as they are read, and who writes them.

mod marks;
mod writer;

use std::fs;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use linerate_analysis::compare::Comparison;
use linerate_analysis::netpipe_file;
use linerate_analysis::report::NamedRun;
use linerate_core::host_limits::{HostLimitsFile, is_host_limits};
use linerate_core::run::Run;

use crate::input::LONGEST;
pub(crate) use crate::input::{bytes, is_stream, text};
use crate::trouble::Trouble;

pub(crate) use writer::{UNFINISHED, Writer};

/// The ending of a compressed run file.
const COMPRESSED: &str = "zst";
/// A good half of what the highest level saves, in a hundredth of its time.
const LEVEL: i32 = 6;
/// What a compressed file begins with. Source: RFC 8878, section 3.1.1.
const MAGIC: [u8; 4] = [0x28, 0xb5, 0x2f, 0xfd];

/// Whether the user names no place, but wants nothing kept.
pub(crate) fn is_off(name: impl AsRef<Path>) -> bool {
    ["off", "none"].iter().any(|word| name.as_ref() == Path::new(word))
}

/// Whether what is written to `path` passes on, as with `/dev/null`, a pipe, or `/dev/stdout`.
pub(crate) fn is_device(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt as _;
    fs::metadata(path).is_ok_and(|there| {
        let kind = there.file_type();
        let is_descriptor = path.is_symlink() && (path.starts_with("/dev") || path.starts_with("/proc"));
        kind.is_char_device() || kind.is_fifo() || kind.is_socket() || kind.is_file() && is_descriptor
    })
}

/// What is in a file, decompressed if it is compressed.
fn opened(mut file: fs::File) -> io::Result<Box<dyn Read>> {
    let mut head = Vec::new();
    (&mut file).take(MAGIC.len() as u64).read_to_end(&mut head)?;
    let whole = io::Cursor::new(head.clone()).chain(file);
    if head == MAGIC { Ok(Box::new(zstd::Decoder::new(whole)?)) } else { Ok(Box::new(whole)) }
}

/// The content of a file that may be compressed.
fn decompressed(bytes: Vec<u8>) -> io::Result<Vec<u8>> {
    if !bytes.starts_with(&MAGIC) {
        return Ok(bytes);
    }
    let mut content = Vec::new();
    let read = zstd::Decoder::new(bytes.as_slice())?.take(LONGEST + 1).read_to_end(&mut content);
    read.map_err(|_| io::Error::new(ErrorKind::InvalidData, "it is damaged or cut short"))?;
    if content.len() as u64 > LONGEST {
        return Err(io::Error::new(
            ErrorKind::FileTooLarge,
            "what is compressed in it is longer than 256 MiB",
        ));
    }
    Ok(content)
}

/// The operating system's error, without the path of the temporary file.
pub(crate) fn bare(error: &io::Error) -> io::Error {
    let text = error.to_string();
    io::Error::new(error.kind(), text.split(" at path ").next().unwrap_or_default().to_owned())
}

/// The mode of an ordinary file, before the process's mask.
pub(crate) fn readable_by_all() -> fs::Permissions {
    use std::os::unix::fs::PermissionsExt as _;
    fs::Permissions::from_mode(0o666)
}

/// What a file holds that can be reported.
pub(crate) enum Loaded {
    Runs(Vec<NamedRun>),
    Limits(Box<HostLimitsFile>),
    Comparison(Box<Comparison>),
}

/// Reads the one run of a file: linerate's own, or NetPIPE's; or either from standard input.
pub(crate) fn load(path: &Path) -> Result<NamedRun, Trouble> {
    let mut runs = load_all(path)?;
    match runs.pop() {
        Some(run) if runs.is_empty() => Ok(run),
        _ => Err(no_run(path, "several runs")),
    }
}

/// Reads the runs of a file; NetPIPE's may hold several.
pub(crate) fn load_all(path: &Path) -> Result<Vec<NamedRun>, Trouble> {
    match load_any(path)? {
        Loaded::Runs(runs) => Ok(runs),
        Loaded::Limits(_) => Err(no_run(path, "the limits of a host")),
        Loaded::Comparison(_) => Err(no_run(path, "a comparison")),
    }
}

fn no_run(path: &Path, what: &str) -> Trouble {
    Trouble::new(
        format!("failed to read {}: it holds {what}, and not one run", path.display()),
        "`linerate report` shows it; give the file of one run here",
    )
}

/// Reads runs, the limits of a host, or a comparison.
pub(crate) fn load_any(path: &Path) -> Result<Loaded, Trouble> {
    let bytes = bytes(path).and_then(decompressed).map_err(|error| {
        Trouble::file("read", path, &error, "name a run file that exists and that you may read")
    })?;
    let text = String::from_utf8_lossy(&bytes);
    if is_host_limits(&text) {
        let file = HostLimitsFile::from_json(&text).map_err(|error| {
            let help = "give a file that `linerate host --out` wrote to its end";
            Trouble::new(format!("failed to read {}: {error}", path.display()), help)
        })?;
        return Ok(Loaded::Limits(Box::new(file)));
    }
    if let Ok(comparison) = Comparison::from_json(&text) {
        return Ok(Loaded::Comparison(Box::new(comparison)));
    }
    let json = text.trim_start().starts_with('{');
    let runs = if json {
        Run::from_json(&text).map(|run| vec![run]).map_err(|error| error.to_string())
    } else {
        netpipe_file::read(&text).map_err(|error| {
            format!("it is neither a run file of linerate nor a result file of NetPIPE: {error}")
        })
    };
    let runs = runs.map_err(|reason| {
        Trouble::new(
            format!("failed to read {}: {reason}", path.display()),
            "give a run file that `linerate measure` wrote to its end, or a result file of NetPIPE",
        )
    })?;
    let name = if is_stream(path) { "standard input".to_owned() } else { stem(path) };
    let several = runs.len() > 1;
    let named = |(number, run)| NamedRun {
        name: if several { format!("{name} ({number})") } else { name.clone() },
        run,
    };
    Ok(Loaded::Runs((1..).zip(runs).map(named).collect()))
}

/// A file's name without its folder and without `.run.json` or another ending.
fn stem(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let name = name.strip_suffix(".zst").unwrap_or(&name);
    let stem = name
        .strip_suffix(".run.json")
        .unwrap_or_else(|| name.rsplit_once('.').map_or(name, |(stem, _)| stem));
    stem.to_owned()
}

/// Default path of the report of the run file `run`.
pub(crate) fn report_beside(run: &Path) -> PathBuf {
    run.with_file_name(format!("{}.html", stem(run)))
}

#[cfg(test)]
mod tests {
    use rand::{RngExt as _, SeedableRng as _};
    use rand_pcg::Pcg64;

    use super::*;

    #[test]
    fn a_report_lies_beside_its_run() {
        assert_eq!(report_beside(Path::new("a/b.run.json")), Path::new("a/b.html"));
        assert_eq!(report_beside(Path::new("np.out")), Path::new("np.html"));
        assert_eq!(report_beside(Path::new("a/b.run.json.zst")), Path::new("a/b.html"));
    }

    #[test]
    fn a_compressed_run_is_read_and_not_replaced_by_others() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.run.json.zst");
        let plan = linerate_core::plan::Plan::default();
        let run = Run { started: "2026".to_owned(), ..Run::new(linerate_core::run::Source::Loopback, plan) };
        Writer::default().replace_run(&path, &run).expect("written");
        assert!(fs::read(&path).expect("there").starts_with(&MAGIC));
        let named = load(&path).expect("it is a run");
        assert_eq!((named.name.as_str(), named.run), ("x", run));
        assert_eq!(marks::made_by(&path), marks::Maker::Run, "it is seen through the compression");
        fs::write(&path, [&MAGIC[..], b"nonsense"].concat()).expect("written");
        assert!(load(&path).expect_err("it is damaged").to_string().contains("failed to read"));
    }

    #[test]
    fn no_damaged_file_is_another_run() {
        let seed = u64::from(std::process::id());
        eprintln!("seed {seed}");
        let mut random = Pcg64::seed_from_u64(seed);
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.run.json.zst");
        let plan = linerate_core::plan::Plan::default();
        let run = Run { started: "2026".to_owned(), ..Run::new(linerate_core::run::Source::Loopback, plan) };
        Writer::default().replace_run(&path, &run).expect("written");
        let whole = fs::read(&path).expect("there");
        for _ in 0..3_000 {
            let mut bytes = whole.clone();
            for _ in 0..random.random_range(1..4) {
                let bit = random.random_range(0..bytes.len() * 8);
                bytes[bit / 8] ^= 1 << (bit % 8);
            }
            if random.random_bool(0.1) {
                bytes.truncate(random.random_range(0..bytes.len()));
            }
            fs::write(&path, &bytes).expect("written");
            match load(&path) {
                Ok(named) => assert_eq!(named.run, run),
                Err(error) => assert!(error.to_string().starts_with("failed to read"), "{error}"),
            }
        }
    }

    #[test]
    fn what_grows_without_end_is_refused_before_it_has_grown() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("x.run.json.zst");
        let mut frame = zstd::Encoder::new(Vec::new(), 1).expect("it begins");
        io::copy(&mut io::repeat(b' ').take(LONGEST + 1), &mut frame).expect("it takes it");
        fs::write(&path, frame.finish().expect("it ends")).expect("written");
        let said = load(&path).map(|_| ()).expect_err("a bomb").to_string();
        assert!(said.contains("longer than 256 MiB"), "{said}");
    }

    #[test]
    fn what_does_not_end_is_not_read_for_ever() {
        let error = bytes(Path::new("/dev/zero")).expect_err("it has no end");
        assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
    }
}
