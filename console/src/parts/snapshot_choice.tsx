import type { FilesOf } from "../../../src/cli/console/contract.ts";
import { bytesText } from "../../../src/lib/bytes_text.ts";
import { type Browsable, isOf } from "../api/use_snapshots.ts";
import { momentText } from "../text/ages.ts";
import { Choice } from "./choice.tsx";

interface SnapshotChoiceProps {
  readonly label: string;
  readonly rows: readonly Browsable[];
  readonly chosen: Partial<FilesOf>;
  readonly onChoose: (of: FilesOf) => void;
}

/** One of the snapshots of a volume, by its time. */
export function SnapshotChoice({ label, rows, chosen, onChoose }: SnapshotChoiceProps) {
  const at = rows.findIndex((row) => isOf(row, chosen));
  // A snapshot that is not in the list, such as one of a Backup that was just made, keeps its name.
  const own: readonly (readonly [string, string])[] =
    at >= 0 ? [] : [["", chosen.backup ?? "Choose a snapshot"]];
  return (
    <Choice
      label={label}
      value={at < 0 ? "" : String(at)}
      values={[...own, ...rows.map((row, index) => [String(index), textOf(row)] as const)]}
      onChange={(value) => {
        const files = rows[Number(value)]?.files;
        if (value !== "" && files) onChoose(files);
      }}
    />
  );
}

function textOf({ at, bytes, incomplete, files }: Browsable): string {
  const parts = [momentText(at), ...(bytes === undefined ? [] : [bytesText(bytes)])];
  return `${parts.join(" · ")}${incomplete ? " · incomplete" : ""} · ${files.backup}`;
}
