//! Figures of one run, each the best of several repetitions in which all peers take turns:
//! what else a machine does makes a figure worse, never better.
//!
//! All times are the processor's.

mod aims;
mod first;
mod notes;
mod rates;
mod row;
mod table;
mod whole;

use crate::peer::spin;

pub const REPETITIONS: usize = 7;

/// Measures everything, and prints it.
pub fn measure() -> Result<(), String> {
    eprintln!("random steps, fresh worlds …");
    let mut rows = vec![rates::steps(), rates::worlds()];
    eprintln!("first falls …");
    rows.extend(first::falls());
    let spin = spin::version();
    rows.extend(whole::answers(spin.is_some())?);
    println!("{}\n", table::table(&rows));
    println!("{}", aims::aims(&rows));
    match spin {
        Some(version) => println!("{version}."),
        None => println!("Spin is not installed (with gcc): its figures are left out."),
    }
    println!("\n{}", notes::NOTES);
    Ok(())
}
