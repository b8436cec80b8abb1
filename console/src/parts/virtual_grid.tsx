// biome-ignore-all lint/a11y/useSemanticElements: rows that are drawn only in sight stand outside of a table's layout
// biome-ignore-all lint/a11y/useFocusableInteractive: the focus stays on the grid, which names its active row
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from "react";
import { moved } from "../text/cursor.ts";
import "./virtual_grid.css";

interface VirtualGridProps<T> {
  readonly label: string;
  /** What the keys do, for who hears the page. */
  readonly help: string;
  /** Gives the columns their widths. */
  readonly className: string;
  readonly titles: readonly string[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string;
  /** One for each title. */
  readonly cells: (row: T) => readonly ReactNode[];
  /** The row to begin at. The list then takes the focus, where nothing has it. */
  readonly begin?: number | undefined;
  /** By a click, or Enter. */
  readonly onChoose?: ((row: T) => void) | undefined;
  /** Backspace. */
  readonly onUp?: (() => void) | undefined;
  /** The end is near, and there is more. */
  readonly onEnd?: (() => void) | undefined;
}

/** The height of a row, as its style has it. */
const ROW = 36;
const NEAR = 50;

/** A long list in columns, of which only the rows in sight are drawn. */
export function VirtualGrid<T>(props: VirtualGridProps<T>) {
  const { label, help, className, titles, rows, keyOf, cells, begin, onChoose, onUp, onEnd } = props;
  const scroller = useRef<HTMLDivElement>(null);
  const id = useId();
  const [cursor, setCursor] = useState(begin ?? 0);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 12,
    initialOffset: () => Math.max(0, (begin ?? 0) - 3) * ROW,
  });
  const drawn = virtual.getVirtualItems();
  const nearEnd = (drawn.at(-1)?.index ?? 0) >= rows.length - NEAR;
  useEffect(() => {
    if (nearEnd) onEnd?.();
  }, [nearEnd, onEnd]);
  // In place of a list that had the focus, such as that of the folder above. It is taken from nothing else.
  const takesFocus = useRef(begin !== undefined);
  useEffect(() => {
    const { activeElement } = document;
    const isFree = activeElement === null || activeElement.matches("body, main");
    if (takesFocus.current && isFree) scroller.current?.focus({ preventScroll: true });
  }, []);
  const at = Math.max(0, Math.min(cursor, rows.length - 1));
  const press = (event: KeyboardEvent) => {
    if (event.target !== event.currentTarget || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(1, Math.floor((scroller.current?.clientHeight ?? ROW) / ROW) - 2);
    const to = moved(event.key, at, rows.length, page);
    const row = rows[at];
    if (to !== undefined) {
      setCursor(to);
      virtual.scrollToIndex(to);
    } else if (event.key === "Enter" && row !== undefined && onChoose) onChoose(row);
    else if (event.key === "Backspace" && onUp) onUp();
    else return;
    event.preventDefault();
  };
  return (
    <>
      <p id={`${id}help`} className="hidden">
        {help}
      </p>
      <div
        ref={scroller}
        className={`grid ${className}`}
        role="grid"
        aria-label={label}
        aria-describedby={`${id}help`}
        aria-rowcount={rows.length + 1}
        aria-activedescendant={drawn.some(({ index }) => index === at) ? `${id}${at}` : undefined}
        tabIndex={0}
        onKeyDown={press}
      >
        <div role="row" aria-rowindex={1} className="grid-row grid-head">
          {titles.map((title) => (
            <span key={title} role="columnheader">
              {title}
            </span>
          ))}
        </div>
        <div role="rowgroup" className="grid-all" style={{ height: virtual.getTotalSize() }}>
          {drawn.map(({ index, start }) => {
            const row = rows[index];
            if (row === undefined) return null;
            return (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the grid takes the keys
              <div
                key={keyOf(row)}
                id={`${id}${index}`}
                role="row"
                aria-rowindex={index + 2}
                aria-selected={index === at}
                className={onChoose ? "grid-row chosen-by-click" : "grid-row"}
                style={{ transform: `translateY(${start}px)` }}
                onClick={() => {
                  setCursor(index);
                  onChoose?.(row);
                }}
              >
                {cells(row).map((cell, column) => (
                  <span key={titles[column]} role="gridcell">
                    {cell}
                  </span>
                ))}
              </div>
            );
          })}
        </div>
      </div>
    </>
  );
}
