import { isForbidden } from "../../kube/api_error.ts";
import type { CoreEvent } from "../../kube/builtin.ts";
import type { KubeObject } from "../../kube/object.ts";
import { eventsOf } from "../commands/explain.ts";
import type { Call } from "../frame/command.ts";
import type { EventRow } from "./contract.ts";

const MOST = 50;

/** The events of some objects, the newest first, as far as they may be looked at. */
export async function eventRows(call: Call, objects: readonly KubeObject[]): Promise<readonly EventRow[]> {
  const cluster = await call.cluster();
  const lists = await Promise.all(
    objects.map((object) =>
      eventsOf(call, cluster, object).catch((error: unknown) => {
        if (isForbidden(error)) return [];
        throw error;
      }),
    ),
  );
  return rowsOf(lists.flat());
}

export function rowsOf(events: readonly (KubeObject & CoreEvent)[]): readonly EventRow[] {
  return events
    .map(
      ({ metadata, lastTimestamp, type, reason, message, count, involvedObject }): EventRow => ({
        at: lastTimestamp ?? metadata.creationTimestamp,
        type,
        reason,
        message,
        count: count ?? 1,
        object: {
          kind: involvedObject.kind ?? "",
          name: involvedObject.name ?? "",
          ...(involvedObject.namespace === undefined ? {} : { namespace: involvedObject.namespace }),
        },
      }),
    )
    .toSorted((a, b) => Date.parse(b.at) - Date.parse(a.at))
    .slice(0, MOST);
}
