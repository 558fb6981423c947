//! A machine on somebody's disk leaves nothing there, however its leader ends.
//!
//! Without the usual harness: a machine is booted by a process with one thread.

#[cfg(target_os = "linux")]
mod leader {
    use std::fs;
    use std::io::{self, BufRead, BufReader, Read};
    use std::path::Path;
    use std::process::{Command, Stdio};

    use locklab_sys::host::{Disk, Machine};

    /// Tells a leader where the disk is.
    const FOLDER: &str = "LOCKLAB_TEST_FOLDER";

    const UP: &str = "up";

    pub fn lead_or_look() {
        if let Some(folder) = std::env::var_os(FOLDER) {
            return lead(Path::new(&folder));
        }
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR"));
        let folder = folder.join(format!("ends-{}", std::process::id()));
        fs::create_dir(&folder).unwrap();
        for is_killed in [true, false] {
            leaves_nothing(&folder, is_killed);
        }
        fs::remove_dir(folder).unwrap();
    }

    /// Has a machine, as long as its input lasts.
    fn lead(folder: &Path) {
        let machine = Machine::boot(&Disk::Below(folder.into()));
        println!("{}", machine.as_ref().err().map_or(UP, |why| why));
        io::stdin().read_to_end(&mut Vec::new()).unwrap();
    }

    fn leaves_nothing(folder: &Path, is_killed: bool) {
        let mut leader = Command::new(std::env::current_exe().unwrap())
            .env(FOLDER, folder)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut told = BufReader::new(leader.stdout.take().unwrap()).lines();
        let said = told.next().unwrap().unwrap();
        let while_up = fs::read_dir(folder).unwrap().count();
        if is_killed {
            leader.kill().unwrap();
        }
        // Its input ends, too. The machine's init has its output: there is an end
        // when all are gone.
        leader.wait().unwrap();
        assert_eq!(told.count(), 0);
        assert_eq!(fs::read_dir(folder).unwrap().count(), 0, "killed: {is_killed}");
        if said == UP {
            assert_eq!(while_up, 1);
        } else {
            println!("skipped, 1 of 1: a leader that ends: {said}");
        }
    }
}

fn main() {
    #[cfg(target_os = "linux")]
    leader::lead_or_look();
}
