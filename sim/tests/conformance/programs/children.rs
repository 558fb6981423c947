use locklab_sys::{Call, Image, Mode, OpenFlags, Pid};
use proptest::prelude::*;

use super::{Step, fd, path, process};

/// Calls on children, and on what they inherit.
pub fn call() -> BoxedStrategy<Call> {
    let cloexec = OpenFlags::RDWR | OpenFlags::CREAT | OpenFlags::CLOEXEC;
    prop_oneof![
        6 => Just(Call::Fork { image: image() }),
        2 => Just(Call::Exec { image: image() }),
        3 => any::<u8>().prop_map(|code| Call::Exit { code }),
        3 => Just(Call::WaitAny),
        3 => Just(Call::TryWait { child: None }),
        3 => process().prop_map(|pid| Call::TryWait { child: Some(pid) }),
        2 => any::<bool>().prop_map(|on| Call::ChildSubreaper { on }),
        1 => Just(Call::Getppid),
        2 => path().prop_map(move |path| Call::Open { path: path.into(), flags: cloexec, mode: Mode::FILE }),
        2 => (fd(), any::<bool>()).prop_map(|(fd, on)| Call::SetCloseOnExec { fd, on }),
        2 => fd().prop_map(|fd| Call::GetCloseOnExec { fd }),
    ]
    .boxed()
}

/// A parent with two children, and a grandchild.
pub fn several() -> Vec<Step> {
    let fork = || Call::Fork { image: image() };
    let pid = Pid(5);
    vec![
        (0, fork()),
        (0, fork()),
        (3, fork()),
        (0, Call::ProcStat { pid }),
        (0, Call::ProcStatus { pid }),
    ]
}

/// What a child or a new image runs: nothing, as long as it is not told to.
pub fn image() -> Image {
    Image::new("puppet", "", |_| std::future::pending())
}
