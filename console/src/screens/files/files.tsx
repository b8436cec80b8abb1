import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { FilesOf } from "../../../../src/cli/console/contract.ts";
import { cleanPath } from "../../../../src/cli/session/clean_path.ts";
import { archivePath } from "../../api/files.ts";
import { sessionQuery } from "../../api/queries.ts";
import { useSnapshots } from "../../api/use_snapshots.ts";
import { type Query, useQueryWords, useSetQuery } from "../../layout/scope.ts";
import { Page } from "../../parts/page.tsx";
import { ProblemBox } from "../../parts/problem_box.tsx";
import { useFilesDenial } from "../../parts/rights.ts";
import { SnapshotChoice } from "../../parts/snapshot_choice.tsx";
import { To } from "../../parts/to.tsx";
import { VolumeChoice } from "../../parts/volume_choice.tsx";
import { resourceOf } from "../../text/kinds.ts";
import * as links from "../../text/links.ts";
import { problemOf } from "../../text/problem.ts";
import { Folder } from "./folder.tsx";
import { FolderTree } from "./folder_tree.tsx";
import { crumbs } from "./paths.ts";
import { Search } from "./search.tsx";
import "./files.css";

/** The files of a snapshot, in folders. */
export function Files() {
  const query = useQueryWords();
  const setQuery = useSetQuery();
  const of = filesOf(query);
  const path = cleanPath(query.path);
  const snapshots = useSnapshots(of ?? {}, query.volume);
  const { volume, rows } = snapshots;
  const [searching, setSearching] = useState(query.find !== undefined);
  const { data: session } = useQuery(sessionQuery);
  const denied = useFilesDenial(of, rows);
  const navigate = useNavigate();
  const newest = rows[0] && JSON.stringify(rows[0].files);
  const isOpen = of !== undefined;
  // A volume alone is looked at as it was last.
  useEffect(() => {
    if (isOpen || newest === undefined) return;
    const search = (before: Query) => ({ ...before, ...(JSON.parse(newest) as FilesOf) });
    void navigate({ to: "/files", search: search as never, replace: true });
  }, [isOpen, newest, navigate]);
  const resource =
    of &&
    resourceOf(session?.apis, { kind: "Backup", api: "kopiur", namespace: of.namespace, name: of.backup });
  const words = of
    ? ["ls", `backup/${of.backup}`, ...(path === "" ? [] : [path]), ...(of.pvc ? ["--pvc", of.pvc] : [])]
    : ["list", "backups"];
  return (
    <Page
      title={of ? `Files of ${volume ?? of.backup}` : "Files"}
      words={words}
      namespace={of?.namespace}
      object={of && resource ? { resource, namespace: of.namespace, name: of.backup } : undefined}
    >
      <div className="filters">
        <VolumeChoice
          chosen={volume}
          onChoose={(volume) =>
            setQuery({ ...{ volume, namespace: undefined, backup: undefined }, ...NO_PLACE, pvc: undefined })
          }
        />
        {of ? (
          <SnapshotChoice
            label="Snapshot"
            rows={rows}
            chosen={of}
            onChoose={(files) => setQuery({ pvc: undefined, ...files, file: undefined, volume })}
          />
        ) : null}
        {of ? (
          <>
            <button type="button" aria-expanded={searching} onClick={() => setSearching(!searching)}>
              Search all snapshots
            </button>
            <To place={links.diff(of)} className="button">
              Compare
            </To>
          </>
        ) : null}
      </div>
      {snapshots.error ? <ProblemBox problem={problemOf(snapshots.error)} /> : null}
      {of === undefined ? (
        <p className="empty">
          {volume === undefined
            ? "Choose a volume to look at the files of its snapshots."
            : snapshots.isPending
              ? "Looking for its snapshots …"
              : `There is no snapshot of ${volume} whose files can be looked at here.`}
        </p>
      ) : denied !== undefined ? (
        <ProblemBox
          problem={{
            message: "You may not look at the files of this snapshot",
            why: denied,
            fix: "Who administers the cluster can give you this right: create Jobs, ConfigMaps and Secrets, and exec into pods, where the repository is.",
          }}
        />
      ) : (
        <>
          {searching ? <Search volume={volume} of={of} /> : null}
          <Browser key={`${of.namespace}/${of.backup}/${of.pvc}`} of={of} path={path} volume={volume} />
        </>
      )}
    </Page>
  );
}

const NO_PLACE = { path: undefined, file: undefined } as const;

interface BrowserProps {
  readonly of: FilesOf;
  readonly path: string;
  readonly volume: string | undefined;
}

/** Where one is, the tree, and the folder. */
function Browser({ of, path, volume }: BrowserProps) {
  const navigate = useNavigate();
  const root = volume?.split("/")[1] ?? of.pvc ?? of.backup;
  const go = (path: string, file?: string) => {
    const search = (before: Query) => ({ ...before, path: path || undefined, file });
    void navigate({ to: "/files", search: search as never });
  };
  const place = (path: string) => links.files(of, { path, volume });
  return (
    <>
      <div className="files-head">
        <nav aria-label="Folders on the way">
          <ol className="crumbs">
            {crumbs(path, root).map(({ name, path: to }) => (
              <li key={to}>
                {to === path ? <span aria-current="page">{name}</span> : <To place={place(to)}>{name}</To>}
              </li>
            ))}
          </ol>
        </nav>
        <div className="actions">
          <a className="button" href={archivePath(of, path)} download>
            Download this folder
          </a>
          <To className="button" place={links.restore(of, { path: path || undefined, volume })}>
            Restore this folder…
          </To>
        </div>
      </div>
      <div className="files-body">
        <FolderTree of={of} path={path} root={root} onGo={go} />
        <Folder key={path} of={of} path={path} volume={volume} onGo={go} />
      </div>
    </>
  );
}

function filesOf({ namespace, backup, pvc }: Query): FilesOf | undefined {
  if (!namespace || !backup) return undefined;
  return { namespace, backup, ...(pvc ? { pvc } : {}) };
}
