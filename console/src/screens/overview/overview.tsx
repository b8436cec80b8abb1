import { useQuery } from "@tanstack/react-query";
import type { ConsoleView, Day } from "../../../../src/cli/console/contract.ts";
import { viewQuery } from "../../api/queries.ts";
import { useScope } from "../../layout/scope.ts";
import { Answer } from "../../parts/answer.tsx";
import { Badge } from "../../parts/badge.tsx";
import { ObjectLink } from "../../parts/object_link.tsx";
import { Page } from "../../parts/page.tsx";
import { Progress } from "../../parts/progress.tsx";
import { Sign } from "../../parts/sign.tsx";
import { To } from "../../parts/to.tsx";
import { When } from "../../parts/when.tsx";
import { dayText, dayTone } from "../../text/days.ts";
import { phaseTone } from "../../text/levels.ts";
import * as links from "../../text/links.ts";
import { verdictOf } from "../../text/verdict.ts";
import { wants } from "../../text/wants.ts";
import { WantRow } from "./want_row.tsx";
import "./overview.css";

/** The first answer: is the data safe? */
export function Overview() {
  const scope = useScope();
  const query = useQuery(viewQuery(scope));
  return (
    <Page title="Overview" words={["status"]} namespace={scope} all>
      <Answer query={query} what="the overview">
        {(view) => (
          <>
            <VerdictBox view={view} />
            <Wanting view={view} />
            <section className="card" aria-labelledby="days">
              <h2 id="days">Backups of the last 30 days</h2>
              <DayStrip days={view.days} />
            </section>
            <div className="cards">
              <Running view={view} />
              <Next view={view} />
            </div>
          </>
        )}
      </Answer>
    </Page>
  );
}

function VerdictBox({ view }: { readonly view: ConsoleView }) {
  const { tone, sentence } = verdictOf(view);
  return (
    <p className={`verdict tone-${tone}`} role="status">
      <Sign tone={tone} />
      <span>{sentence}</span>
    </p>
  );
}

/** So many are shown; the lists have them all. */
const MOST = 12;

function Wanting({ view }: { readonly view: ConsoleView }) {
  const all = wants(view);
  if (all.length === 0) return null;
  return (
    <section className="card" aria-labelledby="wanting">
      <h2 id="wanting">What wants you, worst first</h2>
      <ul className="wants">
        {all.slice(0, MOST).map((want) => (
          <WantRow key={`${want.kind}/${want.title}`} want={want} />
        ))}
      </ul>
      {all.length > MOST ? (
        <p>
          <To place={links.volumes({ state: "wanting" })}>{all.length - MOST} more</To>
        </p>
      ) : null}
    </section>
  );
}

function DayStrip({ days }: { readonly days: readonly Day[] }) {
  const most = Math.max(1, ...days.map(({ good, incomplete, failed }) => good + incomplete + failed));
  const share = (count: number) => ({ height: `${(100 * count) / most}%` });
  return (
    <ol className="strip">
      {days.map((day) => (
        <li key={day.day} className={`tone-${dayTone(day)}`} title={dayText(day)}>
          <span className="hidden">{dayText(day)}</span>
          <i className="tone-bad" style={share(day.failed)} />
          <i className="tone-warn" style={share(day.incomplete)} />
          <i className="tone-good" style={share(day.good)} />
        </li>
      ))}
    </ol>
  );
}

function Running({ view: { activity, now } }: { readonly view: ConsoleView }) {
  return (
    <section className="card" aria-labelledby="running">
      <h2 id="running">Running now</h2>
      {activity.length === 0 ? <p className="dim">Nothing runs.</p> : null}
      <ul className="lines">
        {activity.slice(0, MOST).map(({ object, phase, why, since, progress }) => (
          <li key={`${object.kind}/${object.namespace}/${object.name}`}>
            <p>
              <Badge tone={phaseTone(phase)}>{phase}</Badge> <ObjectLink object={object} />{" "}
              <span className="dim">
                <When at={since} now={now} none="" />
              </span>
            </p>
            {why ? <p className="dim">{why}</p> : null}
            {progress ? (
              <Progress label={`Progress of ${object.kind} ${object.name}`} percent={progress.percent} />
            ) : null}
          </li>
        ))}
      </ul>
      {activity.length > MOST ? <To place={{ to: "/activity" }}>All {activity.length} of them</To> : null}
    </section>
  );
}

function Next({ view: { next, now } }: { readonly view: ConsoleView }) {
  return (
    <section className="card" aria-labelledby="next">
      <h2 id="next">Next</h2>
      {next.length === 0 ? <p className="dim">Nothing is scheduled.</p> : null}
      <ul className="lines">
        {next.slice(0, MOST).map(({ object, at }) => (
          <li key={`${object.kind}/${object.namespace}/${object.name}/${at}`} className="pair">
            <ObjectLink object={object} />
            <When at={at} now={now} />
          </li>
        ))}
      </ul>
    </section>
  );
}
