import { type ReactNode, useState } from "react";
import { AS } from "./table_roles.ts";

export interface Column<T> {
  readonly title: string;
  readonly cell: (row: T) => ReactNode;
  /** Rows can be sorted by it. */
  readonly sort?: ((row: T) => string | number) | undefined;
  readonly number?: boolean;
}

interface TableProps<T> {
  readonly caption: string;
  readonly rows: readonly T[];
  readonly columns: readonly Column<T>[];
  readonly keyOf: (row: T) => string;
  /** What is said instead of an empty table. */
  readonly empty: ReactNode;
}

/** So many rows are drawn at once. */
const PAGE = 200;

/** A table whose rows become cards on a narrow screen. The first column names the row. */
export function Table<T>({ caption, rows, columns, keyOf, empty }: TableProps<T>) {
  const [sorted, setSorted] = useState<{ readonly title: string; readonly down: boolean }>();
  const [shown, setShown] = useState(PAGE);
  if (rows.length === 0) return <p className="empty">{empty}</p>;
  const by = columns.find(({ title }) => title === sorted?.title)?.sort;
  const ordered = by ? sortedBy(rows, by, sorted?.down ?? false) : rows;
  const press = (title: string) =>
    setSorted((now) => ({ title, down: now?.title === title ? !now.down : false }));
  return (
    <>
      <table className="table" {...AS.table}>
        <caption className="hidden">{caption}</caption>
        <thead {...AS.rowgroup}>
          <tr {...AS.row}>
            {columns.map(({ title, sort, number }) => (
              <th
                key={title}
                {...AS.columnheader}
                scope="col"
                className={number ? "number" : undefined}
                aria-sort={sorted?.title === title ? (sorted.down ? "descending" : "ascending") : undefined}
              >
                {sort ? (
                  <button type="button" className="sorter" onClick={() => press(title)}>
                    {title}
                  </button>
                ) : (
                  title
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody {...AS.rowgroup}>
          {ordered.slice(0, shown).map((row) => (
            <tr key={keyOf(row)} {...AS.row}>
              {columns.map((column, index) => (
                <Cell key={column.title} column={column} row={row} first={index === 0} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {ordered.length > shown ? (
        <button type="button" className="more" onClick={() => setShown(ordered.length)}>
          Show {ordered.length - shown} more
        </button>
      ) : null}
    </>
  );
}

function Cell<T>({
  column: { title, cell, number },
  row,
  first,
}: {
  readonly column: Column<T>;
  readonly row: T;
  readonly first: boolean;
}) {
  const content = <div>{cell(row)}</div>;
  const className = number ? "number" : undefined;
  return first ? (
    <th {...AS.rowheader} scope="row" className={className}>
      {content}
    </th>
  ) : (
    <td {...AS.cell} className={className} data-label={title}>
      {content}
    </td>
  );
}

function sortedBy<T>(rows: readonly T[], by: (row: T) => string | number, down: boolean): readonly T[] {
  const order = (a: string | number, b: string | number) =>
    typeof a === "number" && typeof b === "number" ? a - b : String(a).localeCompare(String(b));
  return rows.toSorted((a, b) => order(by(a), by(b)) * (down ? -1 : 1));
}
