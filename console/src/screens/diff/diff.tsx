import { useQuery } from "@tanstack/react-query";
import type { FilesOf } from "../../../../src/cli/console/contract.ts";
import { diffQuery } from "../../api/files.ts";
import { useSnapshots } from "../../api/use_snapshots.ts";
import { type Query, useQueryWords, useSetQuery } from "../../layout/scope.ts";
import { Page } from "../../parts/page.tsx";
import { ProblemBox } from "../../parts/problem_box.tsx";
import { useFilesDenial } from "../../parts/rights.ts";
import { SessionAnswer } from "../../parts/session_answer.tsx";
import { SnapshotChoice } from "../../parts/snapshot_choice.tsx";
import { VolumeChoice } from "../../parts/volume_choice.tsx";
import { problemOf } from "../../text/problem.ts";
import { before } from "./before.ts";
import { DifferenceList } from "./difference_list.tsx";
import { LiveCompare } from "./live_compare.tsx";
import "./diff.css";

/** What is different between two snapshots of a volume, or between one and the volume as it is now. */
export function Diff() {
  const query = useQueryWords();
  const setQuery = useSetQuery();
  const newer = named(query, query.newer);
  const snapshots = useSnapshots(newer ?? named(query, query.older) ?? {}, query.volume);
  const { volume, rows } = snapshots;
  const later = newer ?? (query.older ? undefined : rows[0]?.files);
  // Without a word, the newest is compared with the one before it.
  const earlier = named(query, query.older) ?? (later && before(rows, later)?.files);
  const denied = useFilesDenial(later, rows);
  const words =
    earlier && later
      ? ["diff", `backup/${earlier.backup}`, `backup/${later.backup}`, ...pvcWords(later)]
      : ["list", "backups"];
  return (
    <Page
      title={volume ? `What changed in ${volume}` : "What changed"}
      words={words}
      namespace={later?.namespace ?? query.namespace}
    >
      <div className="filters">
        <VolumeChoice
          chosen={volume}
          onChoose={(volume) =>
            setQuery({ volume, namespace: undefined, older: undefined, newer: undefined, pvc: undefined })
          }
        />
        {rows.length > 0 ? (
          <>
            <SnapshotChoice
              label="Before"
              rows={rows}
              chosen={earlier ?? {}}
              onChoose={(one) =>
                setQuery({ ...placeOf(one), older: one.backup, newer: later?.backup, volume })
              }
            />
            <SnapshotChoice
              label="After"
              rows={rows}
              chosen={later ?? {}}
              onChoose={(one) =>
                setQuery({ ...placeOf(one), newer: one.backup, older: earlier?.backup, volume })
              }
            />
          </>
        ) : null}
        {later && volume ? (
          <LiveCompare
            volume={volume}
            onMade={(backup) => setQuery({ ...placeOf(later), older: later.backup, newer: backup, volume })}
          />
        ) : null}
      </div>
      {snapshots.error ? <ProblemBox problem={problemOf(snapshots.error)} /> : null}
      {denied !== undefined ? (
        <ProblemBox problem={{ message: "You may not look at the files of these snapshots", why: denied }} />
      ) : earlier && later ? (
        <Differences earlier={earlier} later={later} volume={volume} />
      ) : (
        <p className="empty">{hint(volume, snapshots.isPending, rows.length)}</p>
      )}
    </Page>
  );
}

interface DifferencesProps {
  readonly earlier: FilesOf;
  readonly later: FilesOf;
  readonly volume: string | undefined;
}

function Differences({ earlier, later, volume }: DifferencesProps) {
  const params = { namespace: later.namespace, older: earlier.backup, newer: later.backup, pvc: later.pvc };
  const query = useQuery(diffQuery(params));
  return (
    <SessionAnswer query={query} what="both snapshots">
      {(all) => <DifferenceList all={all} earlier={earlier} later={later} volume={volume} />}
    </SessionAnswer>
  );
}

function named({ namespace, pvc }: Query, backup: string | undefined): FilesOf | undefined {
  return namespace && backup ? { namespace, backup, ...(pvc ? { pvc } : {}) } : undefined;
}

function placeOf({ namespace, pvc }: FilesOf): Query {
  return { namespace, pvc };
}

function pvcWords({ pvc }: FilesOf): readonly string[] {
  return pvc ? ["--pvc", pvc] : [];
}

function hint(volume: string | undefined, isPending: boolean, count: number): string {
  if (volume === undefined && !isPending) return "Choose a volume to compare two of its snapshots.";
  if (isPending) return "Looking for its snapshots …";
  return count === 0
    ? `There is no snapshot of ${volume} whose files can be looked at here.`
    : "There is only one snapshot. Compare it with the volume as it is now.";
}
