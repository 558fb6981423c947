//! What a loss of power leaves.

use std::time::Duration;

use locklab_sim::kernel::{Durability, Effect, MachineConfig, Survivor, TaskId};
use locklab_sys::{Errno, OpenFlags, Uid};

use crate::lab::{Lab, MACHINE, link, mkdir, rename, unlink};

pub const BOTH: [Durability; 2] = [Durability::Journal, Durability::None];

pub fn machine(durability: Durability) -> MachineConfig {
    MachineConfig { durability: Some(durability), ..Default::default() }
}

pub fn lab(durability: Durability) -> (Lab, TaskId) {
    let mut lab = Lab::with(machine(durability));
    let task = lab.launch_as("a", Uid::ROOT);
    (lab, task)
}

pub fn sync(lab: &mut Lab, task: TaskId, path: &str) {
    let fd = lab.open(task, path, OpenFlags::RDONLY).unwrap();
    lab.fsync(task, fd).unwrap();
    lab.close(task, fd).unwrap();
}

pub fn wait(lab: &mut Lab, seconds: u64) {
    let to = lab.kernel.now() + Duration::from_secs(seconds);
    lab.kernel.advance_to(to);
}

/// What stands at each path after a loss of power; the machine goes on as it was.
pub fn left(
    lab: &Lab,
    durability: Durability,
    survivor: Survivor,
    paths: &[&str],
) -> Vec<Option<String>> {
    let mut after = lab.clone();
    after.kernel.reboot(MACHINE, &machine(durability), Some(survivor));
    let task = after.launch_as("reader", Uid::ROOT);
    paths.iter().map(|path| after.get(task, path).ok()).collect()
}

pub fn found(content: &str) -> Option<String> {
    Some(content.to_owned())
}

#[test]
fn of_a_file_that_nobody_synced_anything_may_be_left() {
    for durability in BOTH {
        let (mut lab, a) = lab(durability);
        lab.put(a, "/lock", "pid=1000");
        let left = |survivor| left(&lab, durability, survivor, &["/lock"]).remove(0);
        assert_eq!(left(Survivor::Everything), found("pid=1000"));
        assert_eq!(left(Survivor::Names), found(""));
        assert_eq!(left(Survivor::Synced), None);
    }
}

#[test]
fn a_synced_file_has_its_content_and_needs_a_journal_for_its_name() {
    for (durability, least) in [(BOTH[0], found("pid=1000")), (BOTH[1], None)] {
        let (mut lab, a) = lab(durability);
        lab.put(a, "/lock", "pid=1000");
        sync(&mut lab, a, "/lock");
        let all =
            |lab: &Lab| Survivor::ALL.map(|it| left(lab, durability, it, &["/lock"]).remove(0));
        assert_eq!(all(&lab), [found("pid=1000"), found("pid=1000"), least]);
        sync(&mut lab, a, "/");
        assert_eq!(all(&lab), [(); 3].map(|()| found("pid=1000")));
    }
}

#[test]
fn a_synced_directory_has_its_names_and_not_what_they_mean() {
    let durability = Durability::None;
    let (mut lab, a) = lab(durability);
    lab.unit(a, &mkdir("/dir")).unwrap();
    lab.put(a, "/dir/file", "content");
    lab.put(a, "/file", "content");
    let paths = ["/dir/file", "/file"];
    sync(&mut lab, a, "/");
    assert_eq!(left(&lab, durability, Survivor::Synced, &paths), [None, found("")]);
    sync(&mut lab, a, "/dir");
    assert_eq!(left(&lab, durability, Survivor::Synced, &paths), [found(""), found("")]);
    sync(&mut lab, a, "/dir/file");
    assert_eq!(left(&lab, durability, Survivor::Synced, &paths), [found("content"), found("")]);
}

#[test]
fn a_directory_may_be_synced_before_it_can_be_found() {
    let durability = Durability::None;
    let (mut lab, a) = lab(durability);
    lab.unit(a, &mkdir("/dir")).unwrap();
    lab.put(a, "/dir/file", "content");
    for path in ["/dir/file", "/dir"] {
        sync(&mut lab, a, path);
        assert_eq!(left(&lab, durability, Survivor::Synced, &["/dir/file"]), [None]);
    }
    sync(&mut lab, a, "/");
    assert_eq!(left(&lab, durability, Survivor::Synced, &["/dir/file"]), [found("content")]);
}

#[test]
fn a_name_comes_back_whose_removal_was_not_synced() {
    for durability in BOTH {
        let (mut lab, a) = lab(durability);
        lab.put(a, "/lock", "first");
        sync(&mut lab, a, "/lock");
        sync(&mut lab, a, "/");
        lab.unit(a, &unlink("/lock")).unwrap();
        assert_eq!(left(&lab, durability, Survivor::Synced, &["/lock"]), [found("first")]);
        assert_eq!(left(&lab, durability, Survivor::Names, &["/lock"]), [None]);
        // Another file at the path, of the same number perhaps, is not it.
        lab.put(a, "/lock", "second");
        assert_eq!(left(&lab, durability, Survivor::Synced, &["/lock"]), [found("first")]);
        assert_eq!(left(&lab, durability, Survivor::Names, &["/lock"]), [found("")]);
        sync(&mut lab, a, "/");
        assert_eq!(left(&lab, durability, Survivor::Synced, &["/lock"]), [found("")]);
    }
}

#[test]
fn what_is_gone_before_it_was_written_is_not_missed() {
    for durability in BOTH {
        let (mut lab, a) = lab(durability);
        lab.put(a, "/lock", "pid=1000");
        lab.unit(a, &unlink("/lock")).unwrap();
        for survivor in Survivor::ALL {
            assert_eq!(left(&lab, durability, survivor, &["/lock"]), [None]);
        }
    }
}

#[test]
fn a_name_whose_removal_was_not_synced_outlives_a_sync_elsewhere() {
    let durability = Durability::None;
    let (mut lab, a) = lab(durability);
    lab.unit(a, &mkdir("/dir")).unwrap();
    lab.put(a, "/lock", "first");
    sync(&mut lab, a, "/lock");
    sync(&mut lab, a, "/");
    lab.unit(a, &unlink("/lock")).unwrap();
    sync(&mut lab, a, "/dir");
    assert_eq!(left(&lab, durability, Survivor::Synced, &["/lock"]), [found("first")]);
}

#[test]
fn without_a_journal_a_number_that_the_disk_still_names_is_not_given_out() {
    let number = |durability| {
        let (mut lab, a) = lab(durability);
        let first = lab.put(a, "/first", "1");
        sync(&mut lab, a, "/");
        lab.unit(a, &unlink("/first")).unwrap();
        let second = lab.put(a, "/second", "2");
        (first, second)
    };
    let (first, second) = number(Durability::Journal);
    assert_eq!(first, second);
    let (first, second) = number(Durability::None);
    assert_ne!(first, second);
}

#[test]
fn without_a_journal_a_number_is_free_when_the_disk_names_it_no_more() {
    let (mut lab, a) = lab(Durability::None);
    let first = lab.put(a, "/first", "1");
    sync(&mut lab, a, "/");
    lab.unit(a, &unlink("/first")).unwrap();
    sync(&mut lab, a, "/");
    assert_eq!(lab.put(a, "/second", "2"), first);
}

#[test]
fn the_zero_length_file_of_a_rename() {
    // What replaces a file keeps its content where a journal helps; the famous
    // empty file is what the others are left with.
    for (durability, content) in [(BOTH[0], "new"), (BOTH[1], "")] {
        let (mut lab, a) = lab(durability);
        lab.put(a, "/file", "old");
        sync(&mut lab, a, "/file");
        sync(&mut lab, a, "/");
        lab.put(a, "/file.new", "new");
        lab.unit(a, &rename("/file.new", "/file")).unwrap();
        let left = |survivor| left(&lab, durability, survivor, &["/file"]).remove(0);
        assert_eq!(left(Survivor::Names), found(content));
        assert_eq!(left(Survivor::Synced), found("old"));
    }
}

#[test]
fn a_rename_to_a_free_name_keeps_no_content() {
    for durability in BOTH {
        let (mut lab, a) = lab(durability);
        lab.put(a, "/file.new", "new");
        lab.unit(a, &rename("/file.new", "/file")).unwrap();
        assert_eq!(left(&lab, durability, Survivor::Names, &["/file"]), [found("")]);
    }
}

#[test]
fn a_truncation_survives_like_a_name_and_an_overwriting_does_not() {
    for durability in BOTH {
        let (mut lab, a) = lab(durability);
        for path in ["/cut", "/over"] {
            lab.put(a, path, "old");
            sync(&mut lab, a, path);
        }
        sync(&mut lab, a, "/");
        lab.put(a, "/cut", "new");
        let fd = lab.open(a, "/over", OpenFlags::WRONLY).unwrap();
        lab.write(a, fd, "new").unwrap();
        let left = |survivor| left(&lab, durability, survivor, &["/cut", "/over"]);
        assert_eq!(left(Survivor::Everything), [found("new"), found("new")]);
        assert_eq!(left(Survivor::Names), [found(""), found("old")]);
        assert_eq!(left(Survivor::Synced), [found("old"), found("old")]);
    }
}

#[test]
fn with_a_journal_time_brings_names_first_and_content_later() {
    let (mut journal, a) = lab(Durability::Journal);
    let (mut none, b) = lab(Durability::None);
    journal.put(a, "/lock", "pid=1000");
    none.put(b, "/lock", "pid=1000");
    let least = |lab: &Lab, kind| left(lab, kind, Survivor::Synced, &["/lock"]).remove(0);
    for (seconds, content) in [(4, None), (1, found("")), (29, found("")), (1, found("pid=1000"))] {
        wait(&mut journal, seconds);
        wait(&mut none, seconds);
        assert_eq!(least(&journal, Durability::Journal), content);
        assert_eq!(least(&none, Durability::None), None);
    }
}

#[test]
fn a_commit_is_of_the_state_before_what_comes_after_it() {
    let durability = Durability::Journal;
    let (mut lab, a) = lab(durability);
    lab.put(a, "/one", "1");
    wait(&mut lab, 7);
    lab.put(a, "/two", "2");
    assert_eq!(left(&lab, durability, Survivor::Synced, &["/one", "/two"]), [found(""), None]);
    wait(&mut lab, 5);
    assert_eq!(left(&lab, durability, Survivor::Synced, &["/one", "/two"]), [found(""), found("")]);
}

#[test]
fn a_journal_commits_all_names_with_any_sync() {
    let durability = Durability::Journal;
    let (mut lab, a) = lab(durability);
    lab.put(a, "/one", "1");
    lab.put(a, "/two", "2");
    sync(&mut lab, a, "/two");
    assert_eq!(
        left(&lab, durability, Survivor::Synced, &["/one", "/two"]),
        [found(""), found("2")]
    );
}

#[test]
fn a_second_name_is_a_name() {
    let durability = Durability::None;
    let (mut lab, a) = lab(durability);
    lab.unit(a, &mkdir("/dir")).unwrap();
    lab.put(a, "/dir/one", "content");
    lab.unit(a, &link("/dir/one", "/two")).unwrap();
    sync(&mut lab, a, "/two");
    sync(&mut lab, a, "/");
    let config = machine(durability);
    lab.kernel.reboot(MACHINE, &config, Some(Survivor::Synced));
    let b = lab.launch_as("b", Uid::ROOT);
    assert_eq!(lab.get(b, "/dir/one"), Err(Errno::ENOENT));
    assert_eq!(lab.get(b, "/two").as_deref(), Ok("content"));
    assert_eq!(lab.stat(b, "/two").unwrap().nlink, 1);
}

#[test]
fn a_moved_directory_is_in_one_place() {
    let durability = Durability::None;
    let (mut lab, a) = lab(durability);
    for dir in ["/from", "/to", "/from/dir"] {
        lab.unit(a, &mkdir(dir)).unwrap();
    }
    lab.put(a, "/from/dir/file", "content");
    for path in ["/from/dir/file", "/from/dir", "/from", "/to", "/"] {
        sync(&mut lab, a, path);
    }
    lab.unit(a, &rename("/from/dir", "/to/dir")).unwrap();
    sync(&mut lab, a, "/to");
    // Its removal from the other was not synced: a check of the disk keeps one.
    let paths = ["/from/dir/file", "/to/dir/file"];
    assert_eq!(left(&lab, durability, Survivor::Synced, &paths), [found("content"), None]);
    sync(&mut lab, a, "/from");
    assert_eq!(left(&lab, durability, Survivor::Synced, &paths), [None, found("content")]);
}

#[test]
fn names_that_go_and_come_are_seen() {
    let durability = Durability::Journal;
    let (mut lab, a) = lab(durability);
    let ino = lab.put(a, "/old", "old");
    sync(&mut lab, a, "/old");
    lab.unit(a, &unlink("/old")).unwrap();
    lab.unit(a, &mkdir("/new")).unwrap();
    let new = lab.stat(a, "/new").unwrap().ino;
    let maker = lab.kernel.process_of(a);
    lab.kernel.clear_effects();
    lab.kernel.reboot(MACHINE, &machine(durability), Some(Survivor::Synced));
    let names = [
        Effect::NameLost { path: "/new".into(), ino: new, maker },
        Effect::NameFound { path: "/old".into(), ino, maker },
    ];
    assert_eq!(&lab.kernel.effects()[1..], names);
    assert_eq!(lab.kernel.names(MACHINE), ["/old"]);
}

#[test]
fn what_survived_is_on_the_disk() {
    for durability in BOTH {
        let (mut lab, a) = lab(durability);
        lab.put(a, "/file", "content");
        let config = machine(durability);
        lab.kernel.reboot(MACHINE, &config, Some(Survivor::Everything));
        lab.kernel.reboot(MACHINE, &config, Some(Survivor::Synced));
        let b = lab.launch_as("b", Uid::ROOT);
        assert_eq!(lab.get(b, "/file").as_deref(), Ok("content"));
    }
}

#[test]
#[should_panic(expected = "says what it keeps")]
fn who_promises_nothing_cannot_lose_its_power() {
    let mut lab = Lab::new();
    lab.kernel.reboot(MACHINE, &MachineConfig::default(), Some(Survivor::Synced));
}
