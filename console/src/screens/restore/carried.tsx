import { useId, useState } from "react";
import type { RunControl } from "../../api/use_run.ts";
import { ActionButton } from "../../parts/action_button.tsx";
import { Copied } from "../../parts/copied.tsx";
import { ProblemBox } from "../../parts/problem_box.tsx";
import { Progress } from "../../parts/progress.tsx";
import { useDenial } from "../../parts/rights.ts";
import { To } from "../../parts/to.tsx";
import { type Outcome, outcomeFrom } from "./outcome.ts";
import { OutcomeView } from "./outcome_view.tsx";
import type { Plan } from "./plan.ts";
import { progressFrom } from "./progress_line.ts";

interface CarriedProps {
  readonly plan: Plan;
  readonly run: RunControl;
  readonly namespace: string;
  readonly line: string;
  readonly onStart: () => void;
  /** The PVC that gets the data. */
  readonly target: string | undefined;
  readonly restore: string | undefined;
}

/** The confirmation of a plan, its run, and what came of it. */
export function Carried({ plan, run, namespace, line, onStart, target, restore }: CarriedProps) {
  const { state } = run;
  const outcome = outcomeFrom(state.lines.map(({ line }) => line));
  return (
    <section className="card" aria-labelledby="restore-run">
      <h2 id="restore-run">{state.phase === "idle" ? "Confirm" : "The restore"}</h2>
      {state.phase === "idle" ? (
        <Confirmation plan={plan} namespace={namespace} line={line} onStart={onStart} />
      ) : null}
      {state.phase === "running" ? <Running run={run} outcome={outcome} namespace={namespace} /> : null}
      {state.phase === "done" ? (
        <OutcomeView outcome={outcome} namespace={namespace} target={target} source={plan} />
      ) : null}
      {state.problem ? (
        <>
          <ProblemBox problem={state.problem} />
          <div className="actions">
            {restore ? (
              <To className="button" place={{ to: "/restore", search: { namespace, made: nameIn(restore) } }}>
                Look at {restore}
              </To>
            ) : null}
            <To className="button" place={{ to: "/activity" }}>
              Activity
            </To>
            <button type="button" onClick={run.reset}>
              Confirm again
            </button>
          </div>
        </>
      ) : null}
    </section>
  );
}

function Confirmation({
  plan,
  namespace,
  line,
  onStart,
}: Pick<CarriedProps, "plan" | "namespace" | "line" | "onStart">) {
  const [typed, setTyped] = useState("");
  const field = useId();
  const denied = useDenial("restore", namespace);
  const { into } = plan;
  const ready = denied === undefined && (into === undefined || typed === into);
  return (
    <form
      className="says"
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) onStart();
      }}
    >
      <Copied label="The command line of the restore" text={line} />
      {denied ? (
        <ProblemBox problem={{ message: `You may not restore in ${namespace}`, why: denied }} />
      ) : null}
      {into === undefined ? null : (
        <label htmlFor={field} className="field">
          <span>
            This writes into a PVC that is there
            {plan.confirmDeletion ? ", and deletes files of it: read the warning" : ""}. Type <b>{into}</b> to
            confirm
          </span>
          <input
            id={field}
            value={typed}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setTyped(event.target.value)}
          />
        </label>
      )}
      <div className="actions">
        <button type="submit" className={into === undefined ? "primary" : "danger"} disabled={!ready}>
          Restore now
        </button>
        <span className="dim">Closing this page does not end it.</span>
      </div>
    </form>
  );
}

interface RunningProps {
  readonly run: RunControl;
  readonly outcome: Outcome;
  readonly namespace: string;
}

function Running({ run, outcome: { running, restore }, namespace }: RunningProps) {
  const { lines, progress } = run.state;
  const { percent, amount, rate, left } = progressFrom(progress ?? "");
  const now = lines.at(-1)?.line ?? "Asking for the restore …";
  return (
    <>
      <p role="status" className="strong">
        {restore === undefined && running !== undefined ? "Making the backup before it. " : ""}
        {now}
      </p>
      <Progress label="The restore's progress" percent={percent} />
      <dl className="facts">
        <dt>Done</dt>
        <dd>
          {percent === undefined ? "" : `${percent} %, `}
          {amount || "nothing yet"}
        </dd>
        <dt>Rate</dt>
        <dd>{rate ?? "not known yet"}</dd>
        <dt>Time left</dt>
        <dd>{left ?? "not known yet"}</dd>
      </dl>
      <div className="actions">
        {running ? (
          <ActionButton
            action={running.startsWith("backup/") ? "cancel Backup" : "cancel Restore"}
            className="danger"
            title={`Cancel ${running}`}
            verb="Cancel"
            namespace={namespace}
            words={["cancel", running]}
            says={
              running.startsWith("backup/")
                ? "The backup ends, and nothing is restored."
                : "The restore ends where it is. A PVC that was written in place is then half restored: restore it again, or undo it."
            }
          />
        ) : null}
        {restore ? (
          <To className="button" place={{ to: "/restore", search: { namespace, made: nameIn(restore) } }}>
            Its own page
          </To>
        ) : null}
        <span className="dim">Closing this page does not end it.</span>
      </div>
    </>
  );
}

function nameIn(restore: string): string {
  return restore.slice(restore.indexOf("/") + 1);
}
