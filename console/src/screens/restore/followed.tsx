import { useQuery } from "@tanstack/react-query";
import { bytesText } from "../../../../src/lib/bytes_text.ts";
import { objectQuery, sessionQuery, viewQuery } from "../../api/queries.ts";
import { useScope } from "../../layout/scope.ts";
import { ActionButton } from "../../parts/action_button.tsx";
import { Answer } from "../../parts/answer.tsx";
import { Progress } from "../../parts/progress.tsx";
import { To } from "../../parts/to.tsx";
import { resourceOf } from "../../text/kinds.ts";
import * as links from "../../text/links.ts";

interface FollowedProps {
  readonly namespace: string;
  readonly name: string;
}

/** A Restore that was begun before: how it stands now. */
export function Followed({ namespace, name }: FollowedProps) {
  const { data: session } = useQuery(sessionQuery);
  const resource = resourceOf(session?.apis, { kind: "Restore", api: "kopiur", namespace, name }) ?? "";
  const query = useQuery({ ...objectQuery({ resource, namespace, name }), enabled: resource !== "" });
  const { data: view } = useQuery(viewQuery(useScope()));
  const activity = view?.activity.find(
    ({ object }) => object.kind === "Restore" && object.namespace === namespace && object.name === name,
  );
  const { percent, bytes, files } = activity?.progress ?? {};
  return (
    <section className="card" aria-label="How it stands">
      {activity ? (
        <>
          <p className="strong" role="status">
            {activity.phase}
            {activity.why ? `: ${activity.why}` : ""}
          </p>
          <Progress label="The restore's progress" percent={percent} />
          <p className="dim">
            {[
              ...(percent === undefined ? [] : [`${percent} %`]),
              ...(bytes === undefined ? [] : [bytesText(bytes)]),
              ...(files === undefined ? [] : [`${files} files`]),
            ].join(", ")}
          </p>
        </>
      ) : null}
      <Answer query={query} what="the Restore">
        {({ explained }) => (
          <ul className="says">
            {explained.map((text) => (
              <li key={text}>{text}</li>
            ))}
          </ul>
        )}
      </Answer>
      <div className="actions">
        {activity ? (
          <ActionButton
            action="cancel Restore"
            className="danger"
            title={`Cancel restore/${name}`}
            verb="Cancel"
            namespace={namespace}
            words={["cancel", `restore/${name}`]}
            says="The restore ends where it is. A PVC that was written in place is then half restored: restore it again, or undo it."
          />
        ) : (
          <To className="button" place={{ to: "/restore", search: { namespace, undo: `restore/${name}` } }}>
            Undo it…
          </To>
        )}
        {resource ? (
          <To className="button" place={links.object(resource, { namespace, name })}>
            The Restore itself
          </To>
        ) : null}
        <To className="button" place={{ to: "/restore" }}>
          Another restore
        </To>
      </div>
    </section>
  );
}
