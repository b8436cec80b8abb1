import { useQuery } from "@tanstack/react-query";
import type { ConsoleView, FailedRun } from "../../../../src/cli/console/contract.ts";
import { durationText } from "../../../../src/core/view/times_text.ts";
import { bytesText } from "../../../../src/lib/bytes_text.ts";
import { sessionQuery, viewQuery } from "../../api/queries.ts";
import { useScope } from "../../layout/scope.ts";
import { Answer } from "../../parts/answer.tsx";
import { Badge } from "../../parts/badge.tsx";
import { ObjectLink } from "../../parts/object_link.tsx";
import { Page } from "../../parts/page.tsx";
import { Progress } from "../../parts/progress.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { When } from "../../parts/when.tsx";
import { referenceOf } from "../../text/kinds.ts";
import { phaseTone } from "../../text/levels.ts";
import type { Pace } from "../../text/pace.ts";
import { CancelButton, RetryButton, type RunKind } from "../object/object_actions.tsx";
import { LogButton } from "./log_button.tsx";
import { usePaces } from "./use_paces.ts";

type Run = ConsoleView["activity"][number];

/** What runs and what waits, and the last failures. */
export function Activity() {
  const scope = useScope();
  const query = useQuery(viewQuery(scope));
  const paces = usePaces(query.data);
  return (
    <Page title="Activity" words={["status"]} namespace={scope} all>
      <Answer query={query} what="what runs">
        {({ activity, failures, now }) => (
          <>
            <p className="dim" role="status">
              {activity.length === 1
                ? "1 run is under way."
                : `${activity.length || "No"} runs are under way.`}
            </p>
            <Table
              caption="Under way"
              rows={activity}
              keyOf={({ object }) => `${object.kind}/${object.namespace}/${object.name}`}
              empty="Nothing runs, and nothing waits."
              columns={runColumns(now, paces)}
            />
            <h2>Last failures</h2>
            <Table
              caption="Last failures"
              rows={failures}
              keyOf={({ object, at }) => `${object.kind}/${object.namespace}/${object.name}/${at}`}
              empty="No run has failed."
              columns={failureColumns(now)}
            />
          </>
        )}
      </Answer>
    </Page>
  );
}

function runColumns(now: string, paces: (object: Run["object"]) => Pace): readonly Column<Run>[] {
  return [
    { title: "Run", cell: ({ object }) => <ObjectLink object={object} /> },
    {
      title: "Phase",
      cell: ({ phase, why }) => (
        <>
          <Badge tone={phaseTone(phase)}>{phase}</Badge>
          {why ? <p className="dim">{why}</p> : null}
        </>
      ),
    },
    { title: "Since", cell: ({ since }) => <When at={since} now={now} /> },
    {
      title: "Progress",
      cell: ({ object, progress }) =>
        progress ? (
          <>
            <Progress label={`Progress of ${object.kind} ${object.name}`} percent={progress.percent} />
            <span className="dim">{progressText(progress, paces(object))}</span>
          </>
        ) : (
          <span className="dim">–</span>
        ),
    },
    { title: "Do", cell: ({ object }) => <RunActions object={object} running /> },
  ];
}

function progressText(progress: NonNullable<Run["progress"]>, { bytesPerSecond, leftMs }: Pace): string {
  const { percent, files, bytes } = progress;
  return [
    ...(percent === undefined ? [] : [`${Math.floor(percent)} %`]),
    ...(bytes === undefined ? [] : [bytesText(bytes)]),
    ...(files === undefined ? [] : [`${files.toLocaleString()} files`]),
    ...(bytesPerSecond === undefined ? [] : [`${bytesText(Math.round(bytesPerSecond))}/s`]),
    ...(leftMs === undefined ? [] : [`${durationText(leftMs)} left`]),
  ].join(", ");
}

function failureColumns(now: string): readonly Column<FailedRun>[] {
  return [
    { title: "Run", cell: ({ object }) => <ObjectLink object={object} /> },
    { title: "When", cell: ({ at }) => <When at={at} now={now} /> },
    {
      title: "Why",
      cell: ({ message, remedy }) => (
        <>
          <p>{message}</p>
          {remedy ? <p className="dim">To do: {remedy}</p> : null}
        </>
      ),
    },
    { title: "Do", cell: ({ object }) => <RunActions object={object} running={false} /> },
  ];
}

/** Kinds of runs that the commands of the native API work on. */
const NATIVE: readonly string[] = ["Backup", "Restore", "Maintenance"] satisfies readonly RunKind[];

function isNative(kind: string): kind is RunKind {
  return NATIVE.includes(kind);
}

function RunActions({ object, running }: { readonly object: Run["object"]; readonly running: boolean }) {
  const { data: session } = useQuery(sessionQuery);
  const { kind, namespace, name } = object;
  if (namespace === undefined || !isNative(kind)) return <span className="dim">–</span>;
  const props = { kind, namespace, name, reference: referenceOf(session?.apis, object) };
  return (
    <span className="actions">
      <LogButton {...props} />
      {running ? <CancelButton {...props} /> : <RetryButton {...props} />}
    </span>
  );
}
