/// What the name of a move tells beyond its events.
pub(super) enum Told {
    /// Nothing more.
    Nothing,
    /// The stop is to last this long.
    StopFor(String),
    /// The process is to have no processor for this long.
    StarveFor(String),
    /// Who starts is given a dead process's pid.
    Stranger,
    /// It happens to no process in particular.
    World(String),
}

/// Reads the name of a choice, as a schedule has it.
pub(super) fn told(choice: &str) -> Told {
    let Some((kind, rest)) = choice.split_once(':') else { return Told::Nothing };
    match kind {
        "reuse" => Told::Stranger,
        "until" => Told::World("time passes, while somebody could have run".to_owned()),
        "fault" => rest.rsplit_once(':').map_or(Told::Nothing, |(_, action)| fault(action)),
        _ => Told::Nothing,
    }
}

fn fault(action: &str) -> Told {
    let (kind, time) = action.split_once('.').unwrap_or((action, ""));
    match kind {
        "stop" => Told::StopFor(with_space(time)),
        "starve" => Told::StarveFor(with_space(time)),
        "clock-forward" => Told::World(format!("the clock is set {} forward", with_space(time))),
        "clock-back" => Told::World(format!("the clock is set {} back", with_space(time))),
        _ => Told::Nothing,
    }
}

fn with_space(time: &str) -> String {
    format!("{} s", time.trim_end_matches('s'))
}
