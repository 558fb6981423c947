//! `renameat2`, as a Linux 6.18 answers it.

use locklab_sim::kernel::{Effect, Naming, ProcId, TaskId};
use locklab_sys::{Errno, OpenFlags, RenameFlag, Uid};

use crate::lab::{self, Lab, renameat2, symlink};

use Errno::*;
use RenameFlag::{Exchange, NoReplace};

/// With a link to nothing.
fn tree() -> (Lab, TaskId) {
    let (mut lab, root) = lab::tree();
    lab.unit(root, &symlink("no", "/tmp/ln")).unwrap();
    (lab, root)
}

fn check(flag: RenameFlag, rows: &[(&str, &str, Result<(), Errno>)]) {
    let (lab, root) = tree();
    lab.check(root, rows.iter().map(|(old, new, expected)| (renameat2(old, new, flag), *expected)));
}

#[test]
fn without_replacing_as_in_linux() {
    check(
        NoReplace,
        &[
            ("/tmp/no", "/tmp/x", Err(ENOENT)),
            ("/tmp/no", "/tmp/f", Err(ENOENT)),
            ("/tmp/no", "/tmp/.", Err(EEXIST)),
            ("/tmp/.", "/tmp/.", Err(EBUSY)),
            ("/tmp/f", "/", Err(EEXIST)),
            ("/tmp/f", "/tmp/f", Err(EEXIST)),
            ("/tmp/f", "/tmp/g", Err(EEXIST)),
            ("/tmp/f", "/tmp/e", Err(EEXIST)),
            ("/tmp/e", "/tmp/d/s", Err(EEXIST)),
            ("/tmp/f", "/tmp/ln", Err(EEXIST)),
            ("/tmp/f/", "/tmp/g", Err(EEXIST)),
            ("/tmp/d", "/tmp/d/s", Err(EEXIST)),
            ("/tmp/d", "/tmp/d/x", Err(EINVAL)),
            ("/tmp/f", "/tmp/x/", Err(ENOTDIR)),
            ("/tmp/f", "/tmp/no/x", Err(ENOENT)),
            ("/run", "/tmp/x", Err(EBUSY)),
            ("/tmp/d", "/tmp/x/", Ok(())),
            ("/tmp/ln", "/tmp/no", Ok(())),
            ("/tmp/f", "/tmp/x", Ok(())),
        ],
    );
}

#[test]
fn in_exchange_as_in_linux() {
    check(
        Exchange,
        &[
            ("/tmp/no", "/tmp/f", Err(ENOENT)),
            ("/tmp/f", "/tmp/no", Err(ENOENT)),
            ("/tmp/f/", "/tmp/no", Err(ENOENT)),
            ("/tmp/f", "/tmp/.", Err(EBUSY)),
            ("/tmp/f", "/", Err(EBUSY)),
            ("/run", "/tmp/e", Err(EBUSY)),
            ("/tmp/e", "/run", Err(EBUSY)),
            ("/tmp/d", "/tmp/d/s", Err(EINVAL)),
            ("/tmp/d/s", "/tmp/d", Err(EINVAL)),
            ("/tmp/d/f", "/tmp/d", Err(EINVAL)),
            ("/tmp/d/s", "/tmp/f/", Err(ENOTDIR)),
            ("/tmp/f/", "/tmp/d", Err(ENOTDIR)),
            ("/tmp/f", "/tmp/ln/", Err(ENOTDIR)),
            ("/tmp/f", "/tmp/d/", Ok(())),
            ("/tmp/d/", "/tmp/f", Ok(())),
            ("/tmp/d", "/tmp/e", Ok(())),
            ("/tmp/f", "/tmp/g", Ok(())),
            ("/tmp/d", "/tmp/d", Ok(())),
            ("/tmp/ln", "/tmp/d", Ok(())),
        ],
    );
}

#[test]
fn a_file_and_a_directory_are_exchanged_with_all_that_is_below() {
    let (mut lab, a) = tree();
    let (file, directory) = (lab.stat(a, "/tmp/d/f").unwrap(), lab.stat(a, "/tmp/e").unwrap());
    lab.put(a, "/tmp/e/x", "x");
    lab.unit(a, &renameat2("/tmp/d/f", "/tmp/e", Exchange)).unwrap();
    assert_eq!(lab.get(a, "/tmp/e").unwrap(), "d/f");
    assert_eq!(lab.get(a, "/tmp/d/f/x").unwrap(), "x");
    assert_eq!(lab.stat(a, "/tmp/e").unwrap().ino, file.ino);
    assert_eq!(lab.stat(a, "/tmp/d/f").unwrap().ino, directory.ino);
    let parents = ["/tmp/d", "/tmp/d/f/.."].map(|path| lab.stat(a, path).unwrap());
    assert_eq!(parents[0], parents[1]);
    assert_eq!(parents[0].nlink, 4, "two directories are in it now");
}

#[test]
fn exchanged_names_are_told_as_two_removals_and_two_additions() {
    let (mut lab, a) = tree();
    let b = lab.launch_as("b", Uid::ROOT);
    let mine = lab.put(b, "/tmp/mine", "");
    let theirs = lab.stat(a, "/tmp/d/f").unwrap().ino;
    lab.kernel.clear_effects();
    lab.unit(b, &renameat2("/tmp/mine", "/tmp/d/f", Exchange)).unwrap();
    let (a, b) = (ProcId(0), ProcId(1));
    let (old, new) = ("/tmp/mine", "/tmp/d/f");
    let removed =
        |path: &str, ino, maker| Effect::NameRemoved { path: path.into(), ino, maker, by: b };
    let added = |path: &str, ino, maker| Effect::NameAdded {
        path: path.into(),
        ino,
        maker,
        by: b,
        how: Naming::Moved,
    };
    assert_eq!(
        lab.kernel.effects(),
        [
            removed(new, theirs, a),
            removed(old, mine, b),
            added(new, mine, b),
            added(old, theirs, a),
        ]
    );
}

#[test]
fn a_name_that_had_to_be_free_is_told_as_exclusive() {
    let (mut lab, a) = tree();
    lab.kernel.clear_effects();
    lab.unit(a, &renameat2("/tmp/f", "/tmp/x", NoReplace)).unwrap();
    let added = lab.kernel.effects().iter().filter_map(|effect| match effect {
        Effect::NameAdded { path, how, .. } => Some((path.as_str(), *how)),
        _ => None,
    });
    assert_eq!(added.collect::<Vec<_>>(), [("/tmp/x", Naming::Exclusive)]);
}

#[test]
fn exchanging_two_names_of_one_file_does_nothing() {
    let (mut lab, a) = tree();
    let fd = lab.open(a, "/tmp/f", OpenFlags::RDONLY).unwrap();
    let before = lab.clone();
    lab.kernel.clear_effects();
    lab.unit(a, &renameat2("/tmp/f", "/tmp/g", Exchange)).unwrap();
    assert_eq!(lab.kernel.effects(), []);
    assert!(lab.kernel == before.kernel);
    assert_eq!(lab.fstat(a, fd).unwrap().nlink, 2);
}
