import { useQuery } from "@tanstack/react-query";
import type { RepositoryDetail } from "../../../../src/cli/console/contract.ts";
import { bytesText } from "../../../../src/lib/bytes_text.ts";
import { repositoryQuery, sessionQuery } from "../../api/queries.ts";
import { useNamed } from "../../layout/scope.ts";
import { Answer } from "../../parts/answer.tsx";
import { Badge } from "../../parts/badge.tsx";
import { ConditionsTable, EventsTable } from "../../parts/events_table.tsx";
import { ObjectLink } from "../../parts/object_link.tsx";
import { Page } from "../../parts/page.tsx";
import { Sizes } from "../../parts/sizes.tsx";
import { To } from "../../parts/to.tsx";
import { When } from "../../parts/when.tsx";
import { referenceOf, resourceOf } from "../../text/kinds.ts";
import { phaseTone } from "../../text/levels.ts";
import * as links from "../../text/links.ts";
import { RepositoryActions } from "./repository_actions.tsx";

/** One repository: whether it answers, how large it grows, who works on it and who needs it. */
export function Repository() {
  const { kind, namespace, name } = useNamed();
  const { data: session } = useQuery(sessionQuery);
  const query = useQuery(repositoryQuery({ kind, namespace, name }));
  const resource = resourceOf(session?.apis, { kind, name });
  const reference = referenceOf(session?.apis, { kind, name });
  return (
    <Page
      title={`${kind} ${namespace === undefined ? "" : `${namespace}/`}${name}`}
      words={["explain", reference]}
      namespace={namespace}
      object={resource ? { resource, namespace, name } : undefined}
      actions={
        kind === "Repository" || kind === "ClusterRepository" ? (
          <RepositoryActions
            kind={kind}
            namespace={namespace ?? session?.namespace ?? "default"}
            name={name}
            reference={reference}
          />
        ) : null
      }
    >
      <Answer query={query} what="the repository">
        {(detail) => <Detail detail={detail} />}
      </Answer>
    </Page>
  );
}

function Detail({ detail }: { readonly detail: RepositoryDetail }) {
  const { repository, says, usedBy, volumes, sizes, conditions, events } = detail;
  const { phase, engine, snapshots, storedBytes, lastContact, id } = repository;
  return (
    <>
      <div className="cards">
        <section className="card" aria-labelledby="health">
          <h2 id="health">Health</h2>
          <p>
            <Badge tone={phaseTone(phase)}>{phase}</Badge>
          </p>
          <ul className="says dots">
            {says.map((one) => (
              <li key={one}>{one}</li>
            ))}
          </ul>
          <dl className="facts">
            <dt>Engine</dt>
            <dd>{engine}</dd>
            <dt>Snapshots</dt>
            <dd>{snapshots?.toLocaleString() ?? "unknown"}</dd>
            <dt>Stored</dt>
            <dd>{storedBytes === undefined ? "unknown" : bytesText(storedBytes)}</dd>
            <dt>Last contact</dt>
            <dd>
              <When at={lastContact} none="never" />
            </dd>
            <dt>ID</dt>
            <dd>{id ?? "unknown"}</dd>
          </dl>
        </section>
        <section className="card" aria-labelledby="used">
          <h2 id="used">Who uses it</h2>
          {usedBy.length === 0 ? <p className="dim">No object names it.</p> : null}
          <ul className="says">
            {usedBy.map((object) => (
              <li key={`${object.kind}/${object.namespace}/${object.name}`}>
                <ObjectLink object={object} />
              </li>
            ))}
          </ul>
          {volumes.length > 0 ? <h3>Volumes</h3> : null}
          <ul className="says">
            {volumes.map((claim) => (
              <li key={claim}>
                <To place={links.claim(claim)}>{claim}</To>
              </li>
            ))}
          </ul>
        </section>
      </div>
      <section className="card" aria-labelledby="sizes">
        <h2 id="sizes">Size over time</h2>
        <Sizes
          what="Size"
          rows={sizes}
          dayOf={({ day }) => day}
          lines={[
            { title: "Logical", of: ({ logical }) => logical },
            { title: "Added", of: ({ added }) => added },
          ]}
        />
      </section>
      <h2>Conditions</h2>
      <ConditionsTable conditions={conditions} />
      <h2>Events</h2>
      <EventsTable events={events} />
    </>
  );
}
