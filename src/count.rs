//! How numbers are told: with a comma at every thousand, and of one thing as of one.

/// A number with a comma at every thousand.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// So many of what `one` is one of: `1 state`, `1,000 states`.
pub fn counted(number: u64, one: &str) -> String {
    format!("{} {one}{}", thousands(number), if number == 1 { "" } else { "s" })
}

/// So many steps of programs and moves of the world, together.
pub fn steps_and_moves(number: u64) -> String {
    match number {
        1 => "1 step or move".to_owned(),
        _ => format!("{} steps and moves", thousands(number)),
    }
}

/// All of so many states, or the only one.
pub fn all_states(number: u64) -> String {
    match number {
        1 => "the one state".to_owned(),
        _ => format!("all {} states", thousands(number)),
    }
}

#[cfg(test)]
mod tests {
    use super::{all_states, counted, steps_and_moves, thousands};

    #[test]
    fn numbers_are_easy_to_read() {
        assert_eq!([0, 999, 1000, 1_234_567].map(thousands), ["0", "999", "1,000", "1,234,567"]);
    }

    #[test]
    fn of_one_thing_as_of_one() {
        let states = [0, 1, 2, 1000].map(|number| counted(number, "state"));
        assert_eq!(states, ["0 states", "1 state", "2 states", "1,000 states"]);
        assert_eq!([1, 1000].map(steps_and_moves), ["1 step or move", "1,000 steps and moves"]);
        assert_eq!([1, 1000].map(all_states), ["the one state", "all 1,000 states"]);
    }
}
