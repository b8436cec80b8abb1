import { useQuery } from "@tanstack/react-query";
import { useId, useState } from "react";
import type { FilesOf, Sighting } from "../../../../src/cli/console/contract.ts";
import { safeName } from "../../../../src/cli/files/entry_text.ts";
import { bytesText } from "../../../../src/lib/bytes_text.ts";
import { contentPath, searchQuery } from "../../api/files.ts";
import { viewQuery } from "../../api/queries.ts";
import { useQueryWords, useScope, useSetQuery } from "../../layout/scope.ts";
import { Choice } from "../../parts/choice.tsx";
import { Copied } from "../../parts/copied.tsx";
import { SessionAnswer } from "../../parts/session_answer.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { To } from "../../parts/to.tsx";
import { momentText } from "../../text/ages.ts";
import { commandLine } from "../../text/command_line.ts";
import { type Config, configsOf } from "../../text/configs.ts";
import * as links from "../../text/links.ts";
import { parentOf } from "./paths.ts";

interface SearchProps {
  readonly volume: string | undefined;
  readonly of: FilesOf;
}

/** A name in all snapshots of a BackupConfig. */
export function Search({ volume, of }: SearchProps) {
  const { find = "", config: named } = useQueryWords();
  const setQuery = useSetQuery();
  const [name, setName] = useState(find);
  const field = useId();
  const view = useQuery(viewQuery(useScope()));
  const configs = view.data ? configsOf(view.data, volume) : [];
  const config = configs.find((one) => keyOf(one) === named) ?? configs[0];
  if (view.data === undefined) return <p className="loading">Looking for its BackupConfig …</p>;
  if (config === undefined)
    return (
      <p className="box">
        No BackupConfig backs this volume up any more. The search looks through the snapshots of one
        BackupConfig.
      </p>
    );
  return (
    <section className="card" aria-label="Search all snapshots">
      <form
        className="filters"
        onSubmit={(event) => {
          event.preventDefault();
          setQuery({ find: name.trim() || undefined, config: keyOf(config) });
        }}
      >
        {configs.length > 1 ? (
          <Choice
            label="BackupConfig"
            value={keyOf(config)}
            values={configs.map((one) => [keyOf(one), keyOf(one)])}
            onChange={(config) => setQuery({ config })}
          />
        ) : null}
        <span className="field grow">
          <label htmlFor={field}>Name of a file or folder; * and ? stand for any characters</label>
          <input
            id={field}
            type="search"
            autoComplete="off"
            spellCheck={false}
            placeholder="*.txt"
            value={name}
            onChange={(event) => setName(event.target.value)}
          />
        </span>
        <button type="submit" className="primary" disabled={name.trim() === ""}>
          Search
        </button>
      </form>
      {find === "" ? null : <Found config={config} name={find} of={of} />}
    </section>
  );
}

function Found({
  config,
  name,
  of,
}: {
  readonly config: Config;
  readonly name: string;
  readonly of: FilesOf;
}) {
  const query = useQuery(searchQuery({ namespace: config.namespace, config: config.name, name }));
  const last = ({ backups, volume }: Sighting): FilesOf => ({
    namespace: config.namespace,
    backup: backups.at(-1) ?? of.backup,
    pvc: volume.startsWith("/") ? volume : (volume.split("/")[1] ?? volume),
  });
  const volumeOf = ({ volume }: Sighting) => (volume.startsWith("/") ? undefined : volume);
  const columns: readonly Column<Sighting>[] = [
    {
      title: "Path",
      cell: (one) => (
        <To
          place={links.files(last(one), {
            path: parentOf(one.path) || undefined,
            file: one.path.split("/").at(-1),
            volume: volumeOf(one),
          })}
        >
          {safeName(one.path)}
        </To>
      ),
      sort: ({ path }) => path,
    },
    { title: "Size", cell: ({ size }) => bytesText(size), number: true, sort: ({ size }) => size },
    {
      title: "Modified",
      cell: ({ modifiedAt }) => momentText(modifiedAt),
      sort: ({ modifiedAt }) => Date.parse(modifiedAt),
    },
    { title: "Volume", cell: ({ volume }) => safeName(volume), sort: ({ volume }) => volume },
    {
      title: "In",
      cell: ({ backups }) =>
        backups.length === 1 ? backups[0] : `${backups.length} Backups, last ${backups.at(-1)}`,
    },
    {
      title: "Have it",
      cell: (one) => (
        <span className="actions">
          <a href={contentPath(last(one), one.path)} download>
            Download
          </a>
          <To place={links.restore(last(one), { path: one.path, volume: volumeOf(one) })}>Restore…</To>
        </span>
      ),
    },
  ];
  return (
    <>
      <SessionAnswer query={query} what="all snapshots for it">
        {({ found, cut }) => (
          <>
            {cut ? (
              <p className="box tone-warn" role="status">
                More entries than these have such a name. Search for more of it to see the others.
              </p>
            ) : null}
            <Table
              caption={`Where ${name} is`}
              rows={found}
              columns={columns}
              keyOf={({ volume, path, size, modifiedAt }) => `${volume}\0${path}\0${size}\0${modifiedAt}`}
              empty="No snapshot holds that name. It is a pattern: try *part*."
            />
          </>
        )}
      </SessionAnswer>
      <Copied
        label="The command line that does the same"
        text={commandLine(["find", config.name, name], config.namespace)}
      />
    </>
  );
}

function keyOf({ namespace, name }: Config): string {
  return `${namespace}/${name}`;
}
