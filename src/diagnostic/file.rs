use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::Problems;

/// No file that people write is longer.
const LEN_MAX: u64 = 1 << 20;

/// The text of a file that people wrote.
pub(crate) fn read_text(path: &Path) -> Result<String, Problems> {
    let problem = |message: String| Problems::without_source(path.display().to_string(), message);
    let bytes = read_bytes(path).map_err(|error| problem(format!("cannot read it: {error}")))?;
    if bytes.len() as u64 > LEN_MAX {
        return Err(problem("it is longer than 1 MiB, so it is something else".to_owned()));
    }
    String::from_utf8(bytes).map_err(|error| {
        problem(format!("byte {} is no UTF-8 text", error.utf8_error().valid_up_to()))
    })
}

fn read_bytes(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(LEN_MAX + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
