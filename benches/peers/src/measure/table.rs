//! The table, and what stands below it.

use comfy_table::{Cell, CellAlignment, Table, presets};

use super::row::{Column, Figure, Row, show_ratio};

/// All rows.
pub fn table(rows: &[Row]) -> String {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_HORIZONTAL_ONLY);
    let columns = Column::ALL.into_iter();
    table.set_header([""].into_iter().chain(columns.map(|(_, name)| name)));
    for row in rows {
        let cells = Column::ALL.into_iter().map(|(column, _)| match row.figure(column) {
            Some(figure) => cell(row, figure),
            None => Cell::new("–"),
        });
        let title = lines([row.title.as_str()].into_iter().chain(row.counts));
        table.add_row([Cell::new(title)].into_iter().chain(cells));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.trim_fmt()
}

/// A figure, what it is in locklab's, and how much work it was.
fn cell(row: &Row, figure: &Figure) -> Cell {
    let mut first = row.unit.show(figure.value);
    if figure.column != Column::Locklab
        && let Some(ratio) = row.ratio(figure.column)
    {
        first = format!("{first} {}", show_ratio(ratio));
    }
    let work = figure.work.iter().map(String::as_str);
    Cell::new(lines([first.as_str()].into_iter().chain(work)))
}

/// Those that say something.
fn lines<'a>(all: impl Iterator<Item = &'a str>) -> String {
    all.filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}
