//! Each way for a path to be wrong, as a Linux 6.18 answers it.

use locklab_sys::{Call, Errno, OpenFlags};

use crate::lab::{link, mkdir, open, rename, rmdir, stat, tree, unlink};

use Errno::*;

/// Makes each call on a fresh tree, as root: what others are denied stands in
/// `modes.rs`.
fn check(rows: impl IntoIterator<Item = (Call, Result<(), Errno>)>) {
    let (lab, root) = tree();
    lab.check(root, rows);
}

#[test]
fn open_fails_as_in_linux() {
    let read = OpenFlags::RDONLY;
    let write = OpenFlags::WRONLY;
    let create = write | OpenFlags::CREAT;
    let create_new = create | OpenFlags::EXCL;
    let directory = read | OpenFlags::DIRECTORY;
    let long = format!("/tmp/{}", "n".repeat(256));
    let longest = format!("/tmp/{}", "n".repeat(255));
    let endless = format!("/tmp/{}", "./".repeat(2100));
    check([
        (open("", read), Err(ENOENT)),
        (open("/tmp/no", read), Err(ENOENT)),
        (open("/tmp/no/f", create), Err(ENOENT)),
        (open("/tmp/f/x", read), Err(ENOTDIR)),
        (open("/tmp/f/x", create), Err(ENOTDIR)),
        (open("/tmp/f/.", read), Err(ENOTDIR)),
        (open("/tmp/f/..", read), Err(ENOTDIR)),
        (open("/tmp/f/", read), Err(ENOTDIR)),
        (open("/tmp/f/", create), Err(EISDIR)),
        (open("/tmp/no/", create), Err(EISDIR)),
        (open("/tmp/d/", create_new), Err(EISDIR)),
        (open("/tmp/f", create_new), Err(EEXIST)),
        (open("/tmp/d", create_new), Err(EEXIST)),
        (open("/", create_new), Err(EEXIST)),
        (open("/", create), Err(EISDIR)),
        (open("/tmp/d", create), Err(EISDIR)),
        (open("/tmp/d", read | OpenFlags::CREAT), Err(EISDIR)),
        (open("/tmp/d", write), Err(EISDIR)),
        (open("/tmp/d", read | OpenFlags::TRUNC), Err(EISDIR)),
        (open("/tmp/f", directory), Err(ENOTDIR)),
        (open("/tmp/no", directory | OpenFlags::CREAT), Err(EINVAL)),
        (open("", directory | OpenFlags::CREAT), Err(EINVAL)),
        (open(&long, create), Err(ENAMETOOLONG)),
        (open(&endless, read), Err(ENAMETOOLONG)),
        (open(&longest, create), Ok(())),
        (open("/tmp/d", directory), Ok(())),
        (open("/tmp/d/", read), Ok(())),
        (open("/", read), Ok(())),
        (open("tmp//d/./../f", read), Ok(())),
        (open("/../tmp/f", read), Ok(())),
        (open("/tmp/f", create), Ok(())),
    ]);
}

#[test]
fn stat_fails_as_in_linux() {
    check([
        (stat(""), Err(ENOENT)),
        (stat("/tmp/no"), Err(ENOENT)),
        (stat("/tmp/no/.."), Err(ENOENT)),
        (stat("/tmp/f/"), Err(ENOTDIR)),
        (stat("/tmp/f/x"), Err(ENOTDIR)),
        (stat("/tmp/d/s/../f"), Ok(())),
        (stat("/"), Ok(())),
        (stat("."), Ok(())),
        (stat(".."), Ok(())),
    ]);
}

#[test]
fn link_fails_as_in_linux() {
    check([
        (link("/tmp/no", "/tmp/x"), Err(ENOENT)),
        (link("/tmp/no", "/tmp/f"), Err(ENOENT)),
        (link("/tmp/f", "/tmp/no/x"), Err(ENOENT)),
        (link("/tmp/f", "/tmp/f/x"), Err(ENOTDIR)),
        (link("/tmp/f/", "/tmp/x"), Err(ENOTDIR)),
        (link("/tmp/f", "/tmp/g"), Err(EEXIST)),
        (link("/tmp/f", "/tmp/d/"), Err(EEXIST)),
        (link("/tmp/f", "/"), Err(EEXIST)),
        (link("/tmp/f", "/tmp/."), Err(EEXIST)),
        (link("/tmp/d", "/tmp/f"), Err(EEXIST)),
        (link("/tmp/f", "/tmp/x/"), Err(ENOENT)),
        (link("/tmp/d", "/tmp/x"), Err(EPERM)),
        (link("/tmp/f", "/tmp/x"), Ok(())),
    ]);
}

#[test]
fn unlink_fails_as_in_linux() {
    check([
        (unlink(""), Err(ENOENT)),
        (unlink("/tmp/no"), Err(ENOENT)),
        (unlink("/tmp/no/"), Err(ENOENT)),
        (unlink("/tmp/d"), Err(EISDIR)),
        (unlink("/tmp/d/"), Err(EISDIR)),
        (unlink("/tmp/."), Err(EISDIR)),
        (unlink("/"), Err(EISDIR)),
        (unlink("/tmp/f/"), Err(ENOTDIR)),
        (unlink("/tmp/f/x"), Err(ENOTDIR)),
        (unlink("/tmp/f"), Ok(())),
    ]);
}

#[test]
fn mkdir_fails_as_in_linux() {
    check([
        (mkdir(""), Err(ENOENT)),
        (mkdir("/tmp/no/x"), Err(ENOENT)),
        (mkdir("/tmp/f/x"), Err(ENOTDIR)),
        (mkdir("/tmp/f"), Err(EEXIST)),
        (mkdir("/tmp/f/"), Err(EEXIST)),
        (mkdir("/tmp/d"), Err(EEXIST)),
        (mkdir("/"), Err(EEXIST)),
        (mkdir("/tmp/."), Err(EEXIST)),
        (mkdir("/tmp/x/"), Ok(())),
    ]);
}

#[test]
fn rmdir_fails_as_in_linux() {
    check([
        (rmdir(""), Err(ENOENT)),
        (rmdir("/tmp/no"), Err(ENOENT)),
        (rmdir("/tmp/f"), Err(ENOTDIR)),
        (rmdir("/tmp/f/"), Err(ENOTDIR)),
        (rmdir("/tmp/d"), Err(ENOTEMPTY)),
        (rmdir("/tmp/d/s/.."), Err(ENOTEMPTY)),
        (rmdir("/tmp/e/."), Err(EINVAL)),
        (rmdir("/"), Err(EBUSY)),
        (rmdir("/tmp"), Err(EBUSY)),
        (rmdir("/tmp/e/"), Ok(())),
    ]);
}

#[test]
fn rename_fails_as_in_linux() {
    check([
        (rename("/tmp/no", "/tmp/x"), Err(ENOENT)),
        (rename("/tmp/f", "/tmp/no/x"), Err(ENOENT)),
        (rename("/tmp/f", "/tmp/f/x"), Err(ENOTDIR)),
        (rename("/tmp/f", "/tmp/x/"), Err(ENOTDIR)),
        (rename("/tmp/f/", "/tmp/x"), Err(ENOTDIR)),
        (rename("/tmp/f", "/tmp/e"), Err(EISDIR)),
        (rename("/tmp/e", "/tmp/f"), Err(ENOTDIR)),
        (rename("/tmp/e", "/tmp/d"), Err(ENOTEMPTY)),
        (rename("/tmp/d/s", "/tmp/d"), Err(ENOTEMPTY)),
        (rename("/tmp/d/f", "/tmp/d"), Err(ENOTEMPTY)),
        (rename("/tmp/d", "/tmp/d/s/x"), Err(EINVAL)),
        (rename("/tmp/d", "/tmp/d/f"), Err(EINVAL)),
        (rename("/tmp/e/.", "/tmp/x"), Err(EBUSY)),
        (rename("/tmp/f", "/"), Err(EBUSY)),
        (rename("/run", "/tmp/run"), Err(EBUSY)),
        (rename("/tmp/e", "/run"), Err(EBUSY)),
        (rename("/tmp/f", "/tmp/g"), Ok(())),
        (rename("/tmp/f", "/tmp/d/f"), Ok(())),
        (rename("/tmp/d", "/tmp/e"), Ok(())),
        (rename("/tmp/d", "/tmp/d"), Ok(())),
        (rename("/tmp/d/", "/tmp/x/"), Ok(())),
    ]);
}
