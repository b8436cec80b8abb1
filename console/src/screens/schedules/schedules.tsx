import { useQuery } from "@tanstack/react-query";
import type { ScheduleRow } from "../../../../src/cli/console/contract.ts";
import { schedulesQuery, sessionQuery } from "../../api/queries.ts";
import { useScope } from "../../layout/scope.ts";
import { Answer } from "../../parts/answer.tsx";
import { Badge } from "../../parts/badge.tsx";
import { ObjectLink } from "../../parts/object_link.tsx";
import { Page } from "../../parts/page.tsx";
import { Table } from "../../parts/table.tsx";
import { When } from "../../parts/when.tsx";
import { momentText } from "../../text/ages.ts";
import { referenceOf } from "../../text/kinds.ts";
import { RetentionButton } from "./retention_button.tsx";
import { ScheduleSwitch } from "./schedule_switch.tsx";

/** Schedules with their next runs, the values that count and where each comes from, and what retention would delete. */
export function Schedules() {
  const scope = useScope();
  const query = useQuery(schedulesQuery(scope));
  return (
    <Page title="Schedules and policies" words={["list", "schedules"]} namespace={scope} all>
      <Answer query={query} what="the schedules">
        {(rows) =>
          rows.length === 0 ? (
            <p className="empty">There are no schedules here. Protect a volume to make one.</p>
          ) : (
            <div className="cards">
              {rows.map((row) => (
                <ScheduleCard
                  key={`${row.object.api}/${row.object.kind}/${row.object.namespace}/${row.object.name}`}
                  row={row}
                />
              ))}
            </div>
          )
        }
      </Answer>
    </Page>
  );
}

function ScheduleCard({ row }: { readonly row: ScheduleRow }) {
  const { object, cron, suspended, lastGoodRun, next, runs, values } = row;
  return (
    <article className="card">
      <h2>
        <ObjectLink object={object} />
      </h2>
      <p>
        <code>{cron}</code> <span className="dim">{object.api}</span>{" "}
        {suspended ? <Badge tone="warn">Suspended</Badge> : null}
      </p>
      <dl className="facts">
        <dt>Last good run</dt>
        <dd>
          <When at={lastGoodRun} none="none yet" />
        </dd>
        <dt>Runs</dt>
        <dd>{runs ? <ObjectLink object={runs} /> : "–"}</dd>
        <dt>Next</dt>
        <dd>
          <When at={next[0]} none={suspended ? "none while it is suspended" : "unknown"} />
        </dd>
      </dl>
      {next.length > 1 ? (
        <details>
          <summary>The next {next.length} runs</summary>
          <ol className="says">
            {next.map((at) => (
              <li key={at}>
                <time dateTime={at}>{momentText(at)}</time>
              </li>
            ))}
          </ol>
        </details>
      ) : null}
      {values.length > 0 ? (
        <details>
          <summary>Values that count, and where they come from</summary>
          <Table
            caption={`Values of ${object.name}`}
            rows={values}
            keyOf={({ what, from }) => `${what} ${from}`}
            empty=""
            columns={[
              { title: "What", cell: ({ what }) => what },
              { title: "Value", cell: ({ value }) => value },
              { title: "From", cell: ({ from }) => from },
            ]}
          />
        </details>
      ) : null}
      <ScheduleActions row={row} />
    </article>
  );
}

function ScheduleActions({ row: { object, runs, suspended } }: { readonly row: ScheduleRow }) {
  const { data: session } = useQuery(sessionQuery);
  const { kind, namespace, name, api } = object;
  const isNative = api === "kopiur" && namespace !== undefined;
  const config = runs?.kind === "BackupConfig" && api === "kopiur" ? runs : undefined;
  return (
    <div className="actions">
      {isNative && (kind === "BackupSchedule" || kind === "Maintenance") ? (
        <ScheduleSwitch
          namespace={namespace}
          name={name}
          reference={referenceOf(session?.apis, object)}
          suspended={suspended}
        />
      ) : null}
      {config ? (
        <RetentionButton namespace={config.namespace ?? namespace ?? ""} config={config.name} />
      ) : null}
    </div>
  );
}
