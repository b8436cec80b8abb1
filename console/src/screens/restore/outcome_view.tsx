import { Badge } from "../../parts/badge.tsx";
import { Table } from "../../parts/table.tsx";
import { To } from "../../parts/to.tsx";
import * as links from "../../text/links.ts";
import type { Outcome } from "./outcome.ts";
import type { Plan } from "./plan.ts";

interface OutcomeViewProps {
  readonly outcome: Outcome;
  readonly namespace: string;
  readonly target: string | undefined;
  readonly source: Plan;
}

/** What came back, held against what was planned. */
export function OutcomeView({ outcome, namespace, target, source }: OutcomeViewProps) {
  const { amounts, losses, says, restore, undoable } = outcome;
  const whole = losses.length === 0 && says.length === 0;
  const from = source.lines.find(({ about }) => about === "from")?.text;
  return (
    <div className="says" role="status">
      <p>
        <Badge tone={whole ? "good" : "warn"}>{whole ? "Restored" : "Restored, look"}</Badge>
      </p>
      <dl className="facts">
        <dt>Planned</dt>
        <dd>{from ?? "–"}</dd>
        <dt>Came back</dt>
        <dd>{amounts.length > 0 ? amounts.join(", ") : "–"}</dd>
        <dt>Not brought back</dt>
        <dd>
          {losses.length === 0 ? "nothing was reported" : losses.reduce((sum, { count }) => sum + count, 0)}
        </dd>
      </dl>
      {losses.length > 0 ? (
        <Table
          caption="What was not brought back"
          rows={losses}
          columns={[
            { title: "What", cell: ({ what }) => what },
            { title: "Count", cell: ({ count }) => count, number: true },
            { title: "Why", cell: ({ why }) => why },
          ]}
          keyOf={({ what, why }) => `${what} ${why}`}
          empty=""
        />
      ) : null}
      {says.map((text) => (
        <p key={text} className="box tone-warn">
          {text}
        </p>
      ))}
      <div className="actions">
        {target ? (
          <To className="button primary" place={links.volume({ namespace, name: target })}>
            Look at {target}
          </To>
        ) : null}
        {restore && undoable ? (
          <To className="button" place={{ to: "/restore", search: { namespace, undo: restore } }}>
            Undo this restore…
          </To>
        ) : null}
      </div>
    </div>
  );
}
