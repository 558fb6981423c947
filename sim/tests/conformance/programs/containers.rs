use locklab_sys::{Call, Uid};
use proptest::prelude::*;

use super::{Identity, process};

/// Calls that speak of pids, or of where they are made.
pub fn call() -> BoxedStrategy<Call> {
    prop_oneof![
        1 => Just(Call::Getpid),
        1 => Just(Call::Getppid),
        1 => Just(Call::PidNamespace),
        1 => Just(Call::Hostname),
        1 => Just(Call::BootId),
        2 => process().prop_map(|pid| Call::ProcStat { pid }),
        2 => process().prop_map(|pid| Call::ProcStatus { pid }),
    ]
    .boxed()
}

/// Three processes, some in containers.
pub fn cast() -> BoxedStrategy<Vec<Identity>> {
    let casts = [
        [Some("web"), Some("web"), None],
        [Some("web"), Some("jobs"), None],
        [Some("web"), Some("jobs"), Some("web")],
        [None, Some("web"), Some("web")],
    ];
    let identity =
        |uid, container: Option<&str>| Identity { uid, container: container.map(Into::into) };
    let casts = casts.map(|cast| cast.map(|it| identity(Uid::USER, it)).to_vec());
    let with_root = prop::option::weighted(0.3, 0_usize..3);
    (prop::sample::select(casts.to_vec()), with_root)
        .prop_map(|(mut cast, root)| {
            if let Some(who) = root {
                cast[who].uid = Uid::ROOT;
            }
            cast
        })
        .boxed()
}
