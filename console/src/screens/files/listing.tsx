import type { Entry } from "../../../../src/cli/console/contract.ts";
import { modeText, safeName } from "../../../../src/cli/files/entry_text.ts";
import { bytesText } from "../../../../src/lib/bytes_text.ts";
import { VirtualGrid } from "../../parts/virtual_grid.tsx";
import { momentText } from "../../text/ages.ts";
import { EntrySign } from "./entry_sign.tsx";

interface ListingProps {
  readonly label: string;
  readonly entries: readonly Entry[];
  /** The name of the one to begin at. */
  readonly selected: string | undefined;
  readonly onChoose: (entry: Entry) => void;
  readonly onUp: (() => void) | undefined;
  readonly onEnd: (() => void) | undefined;
}

const TITLES = ["Name", "Size", "Modified", "Mode", "Owner"];

/** The entries of a folder. */
export function Listing({ label, entries, selected, onChoose, onUp, onEnd }: ListingProps) {
  return (
    <VirtualGrid
      label={label}
      help="Arrows move, Enter opens, Backspace leads to the folder above."
      className="entries"
      titles={TITLES}
      rows={entries}
      keyOf={({ name }) => name}
      cells={cellsOf}
      begin={Math.max(
        0,
        entries.findIndex(({ name }) => name === selected),
      )}
      onChoose={onChoose}
      onUp={onUp}
      onEnd={onEnd}
    />
  );
}

function cellsOf(entry: Entry) {
  const { name, type, size, modifiedAt, owner } = entry;
  return [
    <span key="name" className="entry-name">
      <EntrySign type={type} />
      <span title={safeName(name)}>{safeName(name)}</span>
    </span>,
    type === "File" ? bytesText(size) : "–",
    momentText(modifiedAt),
    <code key="mode">{modeText(entry)}</code>,
    owner ? `${owner.uid}:${owner.gid}` : "–",
  ];
}
