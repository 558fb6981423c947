/// What the name of a move tells beyond its events.
pub(super) enum Told {
    /// Nothing more.
    Nothing,
    /// The stop is to last this long.
    StopFor(String),
    /// The process is to have no processor for this long.
    StarveFor(String),
    /// Who starts is given the pid of this dead process, or a thread of it is.
    Stranger(String),
    /// It happens to no process in particular.
    World(String),
}

/// Reads the name of a choice, as a schedule has it.
pub(super) fn told(choice: &str) -> Told {
    let Some((kind, rest)) = choice.split_once(':') else { return Told::Nothing };
    match kind {
        "reuse" => Told::Stranger(rest.to_owned()),
        "until" => Told::World("time passes, while somebody could have run".to_owned()),
        "fault" => rest.rsplit_once(':').map_or(Told::Nothing, |(_, action)| fault(action)),
        "wake" => Told::World("the machine runs again".to_owned()),
        "drain" => Told::World("the disk has room again".to_owned()),
        kind => mishap(kind),
    }
}

fn fault(action: &str) -> Told {
    let (kind, time) = action.split_once('.').unwrap_or((action, ""));
    match kind {
        "stop" => Told::StopFor(with_space(time)),
        "starve" => Told::StarveFor(with_space(time)),
        _ => mishap(action),
    }
}

fn mishap(name: &str) -> Told {
    let (kind, of) = name.split_once('.').unwrap_or((name, ""));
    Told::World(match kind {
        "clock-forward" => format!("the clock is set {} forward", with_space(of)),
        "clock-back" => format!("the clock is set {} back", with_space(of)),
        "sleep" => format!("the machine sleeps for {}", with_space(of)),
        "pause" => format!("the virtual machine is paused for {}", with_space(of)),
        "full-disk" => format!("the disk is full for {}", with_space(of)),
        "reboot" => "the machine reboots".to_owned(),
        "power-loss" => match of {
            "everything" => "the power fails: everything was written, and the machine boots",
            "names" => {
                "the power fails: names survive, unsynced content does not; the machine boots"
            }
            _ => "the power fails: no more survives than must; the machine boots",
        }
        .to_owned(),
        _ => return Told::Nothing,
    })
}

fn with_space(time: &str) -> String {
    format!("{} s", time.trim_end_matches('s'))
}
