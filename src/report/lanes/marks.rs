use locklab_models::word::mark;

use super::row::Line;
use crate::report::style::Tone;

/// A mark of a lock in words; `which` is the lock, where there are several.
pub(super) fn lock_words(name: &str, which: &str, depth: i64) -> String {
    let mut words = match name {
        mark::SCHEDULED => format!("SCHEDULES ({depth})"),
        mark::POSTED => "HAS POSTED".to_owned(),
        mark::WAITING => "wants it".to_owned(),
        mark::REFUSED => "GIVES UP".to_owned(),
        _ => name.to_uppercase(),
    };
    if !which.is_empty() {
        words = format!("{words} {which}");
    }
    if depth > 1 && ![mark::SCHEDULED, mark::POSTED].contains(&name) {
        words = format!("{words} ({depth} deep)");
    }
    words
}

/// A mark of a dispatcher or a daemon, if it is one.
pub(super) fn fleet_words(name: &str, subject: &str) -> Option<Line> {
    let (words, tone) = match name {
        mark::COUNTED => ("COUNTS A FREE SLOT".to_owned(), Tone::Strong),
        mark::DISPATCHED => (format!("HAS DISPATCHED {subject}"), Tone::Strong),
        mark::NEEDLESS => (format!("does not dispatch {subject}"), Tone::Plain),
        mark::UNDONE => (format!("GIVES {subject} UP"), Tone::Warn),
        mark::LISTENING => ("listens".to_owned(), Tone::Dim),
        mark::ASKED => (format!("is asked for {subject}"), Tone::Dim),
        mark::STARTED => (format!("STARTS {subject}"), Tone::Strong),
        _ => return None,
    };
    Some(Line::new(words, tone))
}
