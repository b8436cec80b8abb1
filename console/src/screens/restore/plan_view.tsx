import { Fragment, type ReactNode, useEffect, useRef } from "react";
import { Sign } from "../../parts/sign.tsx";
import { type About, lostFor, type Plan } from "./plan.ts";

interface PlanViewProps {
  readonly plan: Plan;
  readonly title: string;
  readonly scaleDown: boolean;
  readonly onScaleDown: () => void;
}

const TITLES: Readonly<Record<About, string>> = {
  from: "From",
  "left out": "Left out",
  to: "To",
  part: "Part",
  files: "Files",
  first: "First",
  "last backup": "Last backup",
  workloads: "Workloads",
  note: "Note",
  warning: "Warning",
  besides: "Besides",
};
/** In the order in which things happen. */
const ORDER: readonly About[] = [
  ...(["from", "left out", "first", "last backup", "workloads"] as const),
  ...(["to", "part", "files", "besides"] as const),
];

/** What will happen, as the command line tells it. */
export function PlanView({ plan, title, scaleDown, onScaleDown }: PlanViewProps) {
  const aloud = plan.lines.filter(({ about }) => about === "warning" || about === "note");
  const lost = lostFor(plan);
  const steps = ORDER.flatMap((about) => plan.lines.filter((line) => line.about === about));
  const heading = useRef<HTMLHeadingElement>(null);
  // It comes below what was pressed.
  useEffect(() => heading.current?.focus(), []);
  return (
    <section className="card" aria-labelledby="restore-plan">
      <h2 id="restore-plan" ref={heading} tabIndex={-1}>
        The plan
      </h2>
      <p className="dim">{title.replace(/:$/, "")}</p>
      {aloud.map(({ about, text }) => (
        <p key={text} className={`box tone-${about === "warning" ? "bad" : "warn"}`}>
          <span>
            <b>{TITLES[about]}:</b> {text}
          </span>
        </p>
      ))}
      {plan.waitsForPods ? (
        <div className="box tone-warn">
          <p>Pods use the PVC. The restore is refused while they run.</p>
          <button type="button" onClick={onScaleDown}>
            Scale them down for the restore
          </button>
        </div>
      ) : null}
      <ol className="plan">
        {steps.map(({ about, text, loud }) => (
          <Fragment key={`${about} ${text}`}>
            <Step about={TITLES[about]} loud={loud}>
              {text}
            </Step>
            {about === "workloads" && scaleDown ? (
              <Step about="GitOps" loud={false}>
                Argo CD and Flux are paused for these workloads, and go on afterwards. An Application or a
                HelmRelease needs pauseGitOps.enabled in the chart's values; without it, the restore names
                what to suspend.
              </Step>
            ) : null}
          </Fragment>
        ))}
      </ol>
      <h3>What cannot come back</h3>
      {lost.length === 0 ? (
        <p>Nothing is overwritten, and the snapshot is not known to lack anything.</p>
      ) : (
        <ul className="says dots">
          {lost.map((text) => (
            <li key={text}>{text}</li>
          ))}
        </ul>
      )}
    </section>
  );
}

interface StepProps {
  readonly about: string;
  readonly loud: boolean;
  readonly children: ReactNode;
}

function Step({ about, loud, children }: StepProps) {
  return (
    <li className={loud ? "tone-warn" : "tone-dim"}>
      <span className="plan-about">
        {loud ? <Sign tone="warn" /> : null}
        {about}
      </span>
      <span>{children}</span>
    </li>
  );
}
