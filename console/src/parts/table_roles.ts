/**
 * The roles of a table, named: cards lay a table out as blocks, which some browsers then take for no table, and a long
 * list is made of other elements.
 */
export const AS = {
  rowgroup: { role: "rowgroup" },
  row: { role: "row" },
  columnheader: { role: "columnheader" },
  rowheader: { role: "rowheader" },
  cell: { role: "cell" },
  table: { role: "table" },
} as const;

/** A table of which only some rows are in the page. */
export function longTable(label: string, rows: number) {
  return { role: "table", "aria-label": label, "aria-rowcount": rows };
}

export function longTableRow(index: number) {
  return { role: "row", "aria-rowindex": index };
}
