import { useEffect, useState } from "react";
import { durationText } from "../../../../src/core/view/times_text.ts";
import { Badge } from "../../parts/badge.tsx";
import { ProblemBox } from "../../parts/problem_box.tsx";
import { Progress } from "../../parts/progress.tsx";
import { Table } from "../../parts/table.tsx";
import { To } from "../../parts/to.tsx";
import type { Tone } from "../../text/levels.ts";
import * as links from "../../text/links.ts";
import { overallOf, type Rescue } from "./rescue_list.ts";
import { type RescuesState, rescues } from "./rescues.ts";

const STATES: Readonly<Record<Rescue["phase"], readonly [Tone, string]>> = {
  waiting: ["dim", "Waits"],
  running: ["busy", "Runs"],
  done: ["good", "Back"],
  failed: ["bad", "Failed"],
  left: ["dim", "Not begun"],
};

/** How far all of them are, and what failed. */
export function Underway({ state }: { readonly state: RescuesState }) {
  const { rescues: all, startedAt, endedAt } = state;
  const [now, setNow] = useState(() => Date.now());
  const open = endedAt === undefined;
  useEffect(() => {
    if (!open) return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [open]);
  const elapsed = (endedAt ?? now) - startedAt;
  const { percent, done, failed, left } = overallOf(all, elapsed);
  const problems = all.filter(({ problem }) => problem !== undefined);
  return (
    <section className="card" aria-label="Restores of lost PVCs">
      <h2>{open ? "They come back" : failed === 0 ? "They are back" : "Some failed"}</h2>
      <Progress label="All restores together" percent={percent} />
      <p role="status">
        {percent} %: {done} of {all.length} are back{failed > 0 ? `, ${failed} failed` : ""}, after{" "}
        {durationText(elapsed)}
        {left === undefined ? "" : `; about ${durationText(left)} left`}.
      </p>
      {problems.map(({ lost, problem }) =>
        problem ? (
          <div key={lost.claim} className="says">
            <h3>{lost.claim}</h3>
            <ProblemBox problem={problem} />
            <div className="actions">
              <To className="button" place={wayOf(lost.claim)}>
                Restore {lost.claim} in another way…
              </To>
            </div>
          </div>
        ) : null,
      )}
      <Table
        caption="Each restore"
        rows={all}
        columns={[
          { title: "PVC", cell: ({ lost }) => lost.claim },
          { title: "State", cell: ({ phase }) => <Badge tone={STATES[phase][0]}>{STATES[phase][1]}</Badge> },
          {
            title: "Progress",
            cell: ({ lost, phase, percent }) =>
              phase === "running" ? <Progress label={`Progress of ${lost.claim}`} percent={percent} /> : "",
          },
          { title: "Says", cell: ({ says }) => says ?? "" },
        ]}
        keyOf={({ lost }) => lost.claim}
        empty=""
      />
      <div className="actions">
        {open ? (
          <button type="button" onClick={() => rescues.stop()}>
            Begin no more
          </button>
        ) : (
          <button type="button" onClick={() => rescues.clear()}>
            Close this list
          </button>
        )}
        <To className="button" place={{ to: "/activity" }}>
          Activity
        </To>
      </div>
    </section>
  );
}

function wayOf(lost: string) {
  const [namespace = "", claim = ""] = lost.split("/");
  return links.restore({ namespace }, { claim });
}
