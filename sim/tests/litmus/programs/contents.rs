//! What is in a file, while it is written.

use locklab_sys::{Call, OpenFlags};

use super::{FD, calls, close, create, open, open_with, read, stat, write};
use crate::program::Program;

const PAGE: usize = 4096;

/// A write of several pages is several steps of Linux.
const BY_PAGES: &str = "a write of several pages is seen page by page";

/// So are a write over what is there, and a read, however short they are: of 20
/// bytes it is one in 100,000 that meet.
const TORN: &str = "a read that meets a write has some of what was there, and some of what comes";

pub fn programs() -> Vec<Program> {
    let overwrite = || open_with("a", OpenFlags::WRONLY);
    let renew = || open_with("a", OpenFlags::WRONLY | OpenFlags::CREAT | OpenFlags::TRUNC);
    vec![
        // The window in which a claim is not signed.
        written("write-20", create("a"), 20),
        written("write-4096", create("a"), PAGE),
        written("write-8192", create("a"), 2 * PAGE)
            .known(BY_PAGES, &[(1, 1)], |told, instead| [told, instead] == ["4096×2", "8192×2"]),
        grown("grow-65536", 16 * PAGE).known(BY_PAGES, &[(1, 0), (1, 1)], has_grown_by_pages),
        written("renew-20", renew(), 20).with_files(record("a", 20)),
        written("overwrite-20", overwrite(), 20).with_files(record("a", 20)).known(
            TORN,
            &[(1, 1)],
            is_torn,
        ),
        written("overwrite-4096", overwrite(), PAGE).with_files(record("a", PAGE)).known(
            TORN,
            &[(1, 1)],
            is_torn,
        ),
    ]
}

/// Some pages, where there would be none or all of them.
fn has_grown_by_pages(told: &str, instead: &str) -> bool {
    let size = told.strip_prefix("inode 0 with 1 links, ").and_then(|it| it.strip_suffix(" bytes"));
    let size = size.and_then(|it| it.parse().ok());
    size.is_some_and(|it: usize| it.is_multiple_of(PAGE) && it < 16 * PAGE)
        && instead == "inode 0 with 1 links, 0 bytes"
}

/// As many bytes of both writers as there are in the record.
fn is_torn(told: &str, instead: &str) -> bool {
    bytes(told).is_some_and(|it| Some(it) == bytes(instead))
}

/// How many bytes are told, if all are somebody's.
fn bytes(told: &str) -> Option<usize> {
    let of_run = |run: &str| {
        let (count, byte) = run.split_once('×')?;
        ["1", "2"].contains(&byte).then(|| count.parse::<usize>().ok())?
    };
    told.split('+').map(of_run).sum()
}

/// A record is written with one call, and read with one.
fn written(name: &'static str, open_it: Call, len: usize) -> Program {
    let more = len as u32 + 1;
    Program::new(
        name,
        vec![calls([open_it, write(FD, &vec![2; len])]), calls([open("a"), read(FD, more)])],
    )
}

/// A record is written with one call, and its size looked at.
fn grown(name: &'static str, len: usize) -> Program {
    Program::new(
        name,
        vec![calls([create("a"), write(FD, &vec![2; len])]), calls([stat("a"), stat("a")])],
    )
}

/// What was there before.
fn record(path: &str, len: usize) -> [Call; 3] {
    [create(path), write(FD, &vec![1; len]), close(FD)]
}
