import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { sessionQuery, viewQuery } from "../../api/queries.ts";
import { useRun } from "../../api/use_run.ts";
import { useSnapshots } from "../../api/use_snapshots.ts";
import { type Query, useQueryWords, useScope, useSetQuery } from "../../layout/scope.ts";
import { Copied } from "../../parts/copied.tsx";
import { Page } from "../../parts/page.tsx";
import { ProblemBox } from "../../parts/problem_box.tsx";
import { commandLine } from "../../text/command_line.ts";
import { resourceOf } from "../../text/kinds.ts";
import { problemOf } from "../../text/problem.ts";
import { Carried } from "./carried.tsx";
import { Followed } from "./followed.tsx";
import { HowFields } from "./how_fields.tsx";
import { outcomeFrom } from "./outcome.ts";
import { planFrom } from "./plan.ts";
import { PlanView } from "./plan_view.tsx";
import { SourceFields } from "./source_fields.tsx";
import { TargetFields } from "./target_fields.tsx";
import {
  confirmingWords,
  firstTarget,
  missingIn,
  placeOf,
  queryOf,
  restoreWords,
  type Wish,
  wishFrom,
} from "./wish.ts";
import "./restore.css";

/** A restore on one page: from where, to where, how; its plan; its confirmation; its run and what came of it. */
export function RestorePage() {
  const query = useQueryWords();
  const { made, namespace } = query;
  const { data: session } = useQuery(sessionQuery);
  const resource = resourceOf(session?.apis, { kind: "Restore", api: "kopiur", namespace, name: made ?? "" });
  // What the wizard itself writes into the address is its own; another link begins anew.
  const begun = beginningOf(query);
  const own = useRef(begun);
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (begun === own.current) return;
    own.current = begun;
    setTurn((now) => now + 1);
  }, [begun]);
  const tell = (said: Query) => {
    own.current = beginningOf(said);
  };
  return made && namespace ? (
    <Page
      title={`Restore ${made}`}
      words={["explain", `restore/${made}`]}
      namespace={namespace}
      object={resource ? { resource, namespace, name: made } : undefined}
    >
      <Followed namespace={namespace} name={made} />
    </Page>
  ) : (
    <Wizard key={turn} query={query} onTell={tell} />
  );
}

function beginningOf({ namespace, backup, config, claim, undo, path }: Query): string {
  return JSON.stringify([namespace, backup, config, claim, undo, path]);
}

interface WizardProps {
  readonly query: Query;
  /** What the address is going to say. */
  readonly onTell: (said: Query) => void;
}

function Wizard({ query, onTell }: WizardProps) {
  const setQuery = useSetQuery();
  const [wish, setWish] = useState<Wish>(() => wishFrom(query));
  const [volume, setVolume] = useState(() => volumeIn(query));
  const snapshots = useSnapshots(
    {
      namespace: wish.namespace,
      ...(wish.backup ? { backup: wish.backup } : {}),
      pvc: wish.pvc || undefined,
    },
    volume,
  );
  const { data: view } = useQuery(viewQuery(useScope()));
  const { data: session } = useQuery(sessionQuery);
  const plan = useRun();
  const run = useRun();
  const [planned, setPlanned] = useState("");
  const [suggested, setSuggested] = useState<string>();
  const change = (more: Partial<Wish>) => setWish((now) => ({ ...now, ...more }));
  const claim = volume ?? snapshots.volume;
  useEffect(() => {
    if (volume === undefined && snapshots.volume !== undefined) setVolume(snapshots.volume);
  }, [volume, snapshots.volume]);
  // A volume alone is restored as it was last, and to where it most likely goes. Then the person decides.
  const newest = snapshots.rows[0]?.files;
  const isThere = view?.volumes.some(({ namespace, name }) => `${namespace}/${name}` === claim);
  const { source, backup, path, namespace } = wish;
  useEffect(() => {
    if (source === "snapshot" && backup === "" && newest)
      setWish((now) => ({
        ...now,
        namespace: newest.namespace,
        backup: newest.backup,
        pvc: newest.pvc ?? "",
      }));
  }, [source, backup, newest]);
  useEffect(() => {
    if (claim === undefined || isThere === undefined || source === "undo" || suggested === claim) return;
    setSuggested(claim);
    setWish((now) =>
      now.targetName === "" ? { ...now, ...firstTarget({ claim, isThere, path, namespace }) } : now,
    );
  }, [claim, isThere, source, suggested, path, namespace]);

  const words = restoreWords(wish);
  const place = placeOf(wish);
  const line = commandLine(words, place);
  const missing = missingIn(wish);
  const isPlanned = planned === line && plan.state.phase === "done";
  const found = planFrom(
    plan.state.lines.filter(({ from }) => from === "out").map(({ line }) => line),
    plan.state.confirmDeletion,
  );
  const begun = run.state.phase !== "idle";
  const show = (more: Partial<Wish> = {}) => {
    const wanted = { ...wish, ...more };
    const asked = restoreWords(wanted);
    setWish(wanted);
    setPlanned(commandLine(asked, placeOf(wanted)));
    const said = { claim: undefined, ...queryOf(wanted), volume: claim };
    onTell(said);
    setQuery(said);
    run.reset();
    void plan.start({ namespace: placeOf(wanted), words: [...asked, "--dry-run"] });
  };
  const { restore } = outcomeFrom(run.state.lines.map(({ line }) => line));
  return (
    <Page title={wish.path ? `Restore ${wish.path}` : "Restore"} words={words} namespace={place || undefined}>
      <form
        className="wizard"
        onSubmit={(event) => {
          event.preventDefault();
          if (missing.length === 0) show();
        }}
      >
        <fieldset className="steps" disabled={run.state.phase === "running"}>
          <legend className="hidden">What to restore, and how</legend>
          <SourceFields
            wish={wish}
            volume={claim}
            rows={snapshots.rows}
            view={view}
            onChange={change}
            onVolume={(next) => {
              setVolume(next);
              change({
                backup: "",
                config: "",
                pvc: "",
                targetName: "",
                namespace: next.split("/")[0] ?? "",
              });
            }}
          />
          {snapshots.error ? <ProblemBox problem={problemOf(snapshots.error)} /> : null}
          {wish.source === "undo" ? null : (
            <TargetFields
              wish={wish}
              volume={claim}
              view={view}
              namespaces={session?.namespaces}
              onChange={change}
            />
          )}
          <HowFields wish={wish} onChange={change} />
        </fieldset>
        <Copied label="The command line that does the same" text={line} />
        {missing.length > 0 ? <p className="dim">{missing.join(" ")}</p> : null}
        <div className="actions">
          <button
            type="submit"
            className={isPlanned || begun ? "" : "primary"}
            disabled={missing.length > 0 || plan.state.phase === "running" || run.state.phase === "running"}
          >
            Show the plan
          </button>
        </div>
      </form>
      {planned === line ? null : planned !== "" && !begun ? (
        <p className="dim" role="status">
          What you ask for has changed: show its plan again.
        </p>
      ) : null}
      {plan.state.phase === "running" ? (
        <p className="loading" role="status">
          Making the plan …
        </p>
      ) : null}
      {planned === line && plan.state.problem ? <ProblemBox problem={plan.state.problem} /> : null}
      {isPlanned || begun ? (
        <PlanView
          plan={found}
          title={plan.state.lines[0]?.line ?? ""}
          scaleDown={wish.scaleDown}
          onScaleDown={() => show({ scaleDown: true })}
        />
      ) : null}
      {isPlanned || begun ? (
        <Carried
          plan={found}
          run={run}
          namespace={place}
          line={commandLine([...words, ...confirmingWords(found.confirmDeletion)], place)}
          onStart={() =>
            void run.start({
              namespace: place,
              words: [...words, ...confirmingWords(found.confirmDeletion)],
              detach: true,
            })
          }
          target={found.into ?? (wish.source === "undo" ? undefined : wish.targetName)}
          restore={restore}
        />
      ) : null}
    </Page>
  );
}

/** A link may name the volume alone. */
function volumeIn({ volume, claim, namespace }: Query): string | undefined {
  return volume ?? (claim && namespace ? `${namespace}/${claim}` : undefined);
}
