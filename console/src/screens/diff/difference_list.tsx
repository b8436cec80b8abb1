import { useMemo, useState } from "react";
import type { Difference, FilesOf } from "../../../../src/cli/console/contract.ts";
import { safeName } from "../../../../src/cli/files/entry_text.ts";
import { bytesText } from "../../../../src/lib/bytes_text.ts";
import { SearchField } from "../../parts/choice.tsx";
import { To } from "../../parts/to.tsx";
import { VirtualGrid } from "../../parts/virtual_grid.tsx";
import * as links from "../../text/links.ts";
import { parentOf } from "../files/paths.ts";
import { CHANGES, type Change, filtered, sizeText, summaryOf, whatText } from "./differences.ts";

interface DifferenceListProps {
  readonly all: readonly Difference[];
  readonly earlier: FilesOf;
  readonly later: FilesOf;
  readonly volume: string | undefined;
}

/** The server tells no more. */
const MOST = 10_000;
const SIGNS: Readonly<Record<Change, string>> = { added: "+", removed: "−", changed: "~" };

/** All differences, of which only those in sight are drawn. */
export function DifferenceList({ all, earlier, later, volume }: DifferenceListProps) {
  const [text, setText] = useState("");
  const [changes, setChanges] = useState<ReadonlySet<Change>>(new Set(CHANGES));
  const { counts, added, removed, grown } = useMemo(() => summaryOf(all), [all]);
  const shown = useMemo(() => filtered(all, { text, changes }), [all, text, changes]);
  if (all.length === 0) return <p className="empty">Nothing is different.</p>;
  const toggle = (change: Change) =>
    setChanges((now) => new Set(CHANGES.filter((one) => (one === change ? !now.has(one) : now.has(one)))));
  const amounts: Readonly<Record<Change, string>> = {
    added: bytesText(added),
    removed: bytesText(removed),
    changed: `${grown < 0 ? "−" : "+"}${bytesText(Math.abs(grown))}`,
  };
  return (
    <section className="differences" aria-label="Differences">
      <div className="filters">
        <fieldset className="kinds">
          <legend className="hidden">Kinds of change</legend>
          {CHANGES.map((change) => (
            <label key={change} className={`check change-${change}`}>
              <input type="checkbox" checked={changes.has(change)} onChange={() => toggle(change)} />
              <span>
                {counts[change]} {change} ({amounts[change]})
              </span>
            </label>
          ))}
        </fieldset>
        <SearchField label="Filter by path" value={text} onChange={setText} />
      </div>
      <p className="dim" role="status">
        {shown.length} of {all.length} shown. What is in a folder that only one side has is not listed.
        {all.length >= MOST ? ` These are the first ${MOST}: the command line tells all of them.` : ""}
      </p>
      {shown.length === 0 ? (
        <p className="empty">No difference is like that.</p>
      ) : (
        <VirtualGrid
          label="Differences by path"
          help="Arrows move. The links of a row follow with Tab."
          className="diff-rows"
          titles={TITLES}
          rows={shown}
          keyOf={({ path }) => path}
          cells={(one) => cellsOf(one, { earlier, later, volume })}
        />
      )}
    </section>
  );
}

const TITLES = ["Change", "Path", "What changed", "Size", "Have it"];

interface CellsProps {
  readonly earlier: FilesOf;
  readonly later: FilesOf;
  readonly volume: string | undefined;
}

function cellsOf(one: Difference, { earlier, later, volume }: CellsProps) {
  const { path, change } = one;
  const [of, entry] = change === "added" ? [later, one.after] : [earlier, one.before];
  const isFolder = entry?.type === "Folder";
  const place = isFolder
    ? { path, volume }
    : { path: parentOf(path) || undefined, file: entry?.name, volume };
  const name = `${safeName(path)}${isFolder ? "/" : ""}`;
  const what = whatText(one);
  return [
    <span key="change" className={`change-${change}`}>
      <b aria-hidden="true">{SIGNS[change]}</b> {change}
    </span>,
    <span key="path" title={name}>
      <To place={links.files(of, place)}>{name}</To>
    </span>,
    <span key="what" title={what}>
      {what}
    </span>,
    sizeText(one),
    change === "added" ? null : (
      <To
        key="restore"
        place={links.restore(of, { path, volume })}
        label={`Restore ${name} as it was before`}
      >
        Restore…
      </To>
    ),
  ];
}
