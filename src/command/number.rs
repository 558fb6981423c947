use crate::count::thousands;

/// Reads a whole number within these bounds, which it names where it is not.
pub(super) fn between(
    least: u64,
    most: u64,
) -> impl Fn(&str) -> Result<u64, String> + Clone + Send + Sync + 'static {
    move |text| match text.parse() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        _ => {
            Err(format!("expected a whole number from {} to {}", thousands(least), thousands(most)))
        }
    }
}

/// How many random runs there may be, and states: as many as nobody waits for.
pub(super) const MANY: u64 = u32::MAX as u64;

#[cfg(test)]
mod tests {
    use super::between;

    #[test]
    fn bounds_are_kept_and_named() {
        let read = between(1, 1000);
        assert_eq!((read("1"), read("1000")), (Ok(1), Ok(1000)));
        for bad in ["0", "1001", "-1", "many", "", "1e3", "18446744073709551616"] {
            assert_eq!(read(bad), Err("expected a whole number from 1 to 1,000".to_owned()));
        }
    }
}
