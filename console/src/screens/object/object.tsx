import { useQuery } from "@tanstack/react-query";
import type { ObjectDetail } from "../../../../src/cli/console/contract.ts";
import { objectQuery, sessionQuery } from "../../api/queries.ts";
import { useNamed } from "../../layout/scope.ts";
import { Answer } from "../../parts/answer.tsx";
import { Copied } from "../../parts/copied.tsx";
import { ConditionsTable, EventsTable } from "../../parts/events_table.tsx";
import { Page } from "../../parts/page.tsx";
import { referenceOf } from "../../text/kinds.ts";
import { ObjectActions } from "./object_actions.tsx";

/** Any object: why it is as it is, what happened to it, its log, and what can be done with it. */
export function ObjectScreen() {
  const { resource, namespace, name } = useNamed();
  const { data: session } = useQuery(sessionQuery);
  const query = useQuery(objectQuery({ resource, namespace, name }));
  const api = session?.apis?.find(({ kinds }) => kinds.some((kind) => kind.resource === resource));
  const kind = api?.kinds.find((one) => one.resource === resource)?.kind ?? resource;
  const reference = referenceOf(session?.apis, { kind, name, api: api?.api });
  const where = namespace === undefined ? name : `${namespace}/${name}`;
  return (
    <Page
      title={`${kind} ${where}`}
      words={["explain", reference]}
      namespace={namespace}
      object={{ resource, namespace, name }}
      actions={
        query.data && api?.api === "kopiur" && namespace !== undefined ? (
          <ObjectActions kind={kind} namespace={namespace} name={name} reference={reference} />
        ) : null
      }
    >
      <Answer query={query} what="the object">
        {(detail) => <Detail detail={detail} />}
      </Answer>
    </Page>
  );
}

function Detail({ detail: { explained, conditions, events, log, yaml } }: { readonly detail: ObjectDetail }) {
  return (
    <>
      {explained.length > 0 ? (
        <section className="card" aria-labelledby="why">
          <h2 id="why">Why it is as it is</h2>
          <div className="says">
            {explained.map((line, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: lines of a text, which may be the same twice
              <p key={index}>{line}</p>
            ))}
          </div>
        </section>
      ) : null}
      {log ? (
        <section className="card" aria-labelledby="log">
          <h2 id="log">Log</h2>
          <Copied block label="Log of its mover" text={log} />
        </section>
      ) : null}
      <h2>Conditions</h2>
      <ConditionsTable conditions={conditions} />
      <h2>Events</h2>
      <EventsTable events={events} />
      <details>
        <summary>YAML</summary>
        <Copied block label="YAML of the object" text={yaml} />
      </details>
    </>
  );
}
