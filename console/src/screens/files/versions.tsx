import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import type { FilesOf, FileVersion } from "../../../../src/cli/console/contract.ts";
import { bytesText } from "../../../../src/lib/bytes_text.ts";
import { contentPath, versionsQuery } from "../../api/files.ts";
import { SessionAnswer } from "../../parts/session_answer.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { To } from "../../parts/to.tsx";
import { momentText } from "../../text/ages.ts";
import * as links from "../../text/links.ts";

interface VersionsProps {
  readonly of: FilesOf;
  readonly path: string;
  readonly volume: string | undefined;
}

/** The forms of a file in all snapshots. They are asked for when a person wants them: every snapshot is looked into. */
export function Versions({ of, path, volume }: VersionsProps) {
  const [asked, setAsked] = useState(false);
  return (
    <section aria-label="Versions" className="says">
      <h3>Versions</h3>
      {asked ? (
        <VersionTable of={of} path={path} volume={volume} />
      ) : (
        <div className="actions">
          <button type="button" onClick={() => setAsked(true)}>
            Show its versions in all snapshots
          </button>
        </div>
      )}
    </section>
  );
}

function VersionTable({ of, path, volume }: VersionsProps) {
  const query = useQuery(versionsQuery(of, path));
  const newest = ({ in: all }: FileVersion): FilesOf => all[0] ?? of;
  const columns: readonly Column<FileVersion>[] = [
    { title: "Modified", cell: ({ modifiedAt }) => momentText(modifiedAt) },
    { title: "Size", cell: ({ size }) => bytesText(size), number: true },
    { title: "In", cell: ({ in: all }) => heldText(all.map(({ at }) => at)) },
    {
      title: "Have it",
      cell: (version) => (
        <span className="actions">
          <a href={contentPath(newest(version), path)} download>
            Download
          </a>
          <To place={links.restore(newest(version), { path, volume })}>Restore…</To>
        </span>
      ),
    },
  ];
  return (
    <SessionAnswer query={query} what="its versions: every snapshot is looked into">
      {(versions) => (
        <Table
          caption="Versions of the file, newest first"
          rows={versions}
          columns={columns}
          keyOf={({ modifiedAt, size, in: [first] }) => `${modifiedAt} ${size} ${first?.backup}`}
          empty="No snapshot holds it."
        />
      )}
    </SessionAnswer>
  );
}

/** Newest first. */
function heldText(times: readonly string[]): string {
  const [newest, oldest] = [times[0], times.at(-1)];
  if (times.length < 2) return `the snapshot of ${momentText(newest)}`;
  return `${times.length} snapshots, ${momentText(oldest)} to ${momentText(newest)}`;
}
