//! Spin: the model in `spin/takeover.pml`, generated and compiled in a folder of its own.

use std::path::PathBuf;
use std::process::Command;

use tempfile::TempDir;

use crate::protocol::{Case, Kind};

const MODEL: &str = include_str!("../../spin/takeover.pml");

/// A verifier of one case. With it goes its folder.
pub struct Verifier {
    folder: TempDir,
}

/// What Spin says for itself.
pub fn version() -> Option<String> {
    let said = Command::new("spin").arg("-V").output().ok()?;
    let compiler = Command::new("gcc").arg("--version").output().ok()?;
    let is_there = said.status.success() && compiler.status.success();
    is_there.then(|| String::from_utf8_lossy(&said.stdout).trim().to_owned())
}

impl Verifier {
    /// Generates and compiles; `reduces` is Spin's partial-order reduction, and `effort` the
    /// compiler's.
    pub fn new(case: Case, reduces: bool, effort: &str) -> Result<Self, String> {
        let folder = TempDir::new().map_err(|error| error.to_string())?;
        let model = folder.path().join("takeover.pml");
        std::fs::write(&model, MODEL).map_err(|error| error.to_string())?;
        let kind = match case.kind {
            Kind::ByName => "BY_NAME",
            Kind::Compare => "COMPARE",
            Kind::Guarded => "GUARDED",
        };
        let verifier = Self { folder };
        // Statements are not merged (-o3): each is a transition, as it is a step elsewhere.
        verifier.make(Command::new("spin").args(["-o3", "-a"]).args([
            format!("-DKEEPERS={}", case.keepers),
            format!("-DROUNDS={}", case.rounds),
            format!("-D{kind}"),
            "takeover.pml".to_owned(),
        ]))?;
        let mut compiler = Command::new("gcc");
        compiler.args([effort, "-DNOFAIR", "-DSAFETY"]);
        if !reduces {
            compiler.arg("-DNOREDUCE");
        }
        verifier.make(compiler.args(["-o", "pan", "pan.c"]))?;
        Ok(verifier)
    }

    fn make(&self, command: &mut Command) -> Result<(), String> {
        let done = command
            .current_dir(self.folder.path())
            .output()
            .map_err(|error| format!("{command:?}: {error}"))?;
        if !done.status.success() {
            let said = String::from_utf8_lossy(&done.stdout);
            let complained = String::from_utf8_lossy(&done.stderr);
            return Err(format!("{command:?}: {said}{complained}"));
        }
        Ok(())
    }

    /// The verifier's program.
    pub fn program(&self) -> PathBuf {
        self.folder.path().join("pan")
    }

    /// To go on when something has fallen, and to have room for so many states and no more:
    /// what it takes for more (128 MB unless told) costs time, too.
    pub fn arguments() -> [String; 2] {
        ["-c0", "-w18"].map(str::to_owned)
    }

    /// How many states it says it has stored, and whether anything fell.
    pub fn read(said: &str) -> Option<(u64, bool)> {
        let number_before = |words: &str| said.split(words).next()?.split_whitespace().last();
        let states = number_before(" states, stored")?.parse().ok()?;
        let errors: u64 = said.split("errors: ").nth(1)?.split_whitespace().next()?.parse().ok()?;
        Some((states, errors > 0))
    }
}
