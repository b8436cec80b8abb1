import { deleteFor } from "../../../core/reconcile/delete_for.ts";
import { ReportedFailure } from "../../../core/reconcile/reported_failure.ts";
import {
  type ApiError,
  ignoreGone,
  isAlreadyExists,
  isForbidden,
  isInvalid,
} from "../../../kube/api_error.ts";
import type { Client } from "../../../kube/client.ts";
import { type KubeObject, keyOf } from "../../../kube/object.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import type { Clock } from "../../../lib/clock.ts";
import type { OwnIntent } from "./driver.ts";

const MANAGER = "holdfast-cozystack";

/** Does what drivers have done in other APIs. What those refuse for good is the end of a job. */
export function carryOutOwn(client: Client, clock: Pick<Clock, "now">) {
  return {
    act: async <T extends KubeObject>(
      { object }: { readonly object: T },
      intent: OwnIntent,
      signal: AbortSignal,
    ): Promise<T> => {
      if (intent.type === "Delete") {
        await deleteFor(client, intent, { signal });
        return object;
      }
      if (intent.type === "Unmark") {
        const { metadata } = intent.object;
        const patch = { metadata: { uid: metadata.uid, annotations: { [intent.annotation]: null } } };
        await client
          .patch(intent.resource, metadata, { type: "merge", patch } as never, { signal })
          .catch(ignoreGone);
        return object;
      }
      const { resource, draft } = intent;
      const { name = "", namespace } = draft.metadata;
      try {
        if (intent.type === "Ensure") await client.create(resource, draft, { signal });
        else {
          const wanted = { ...draft, metadata: { name, ...(namespace ? { namespace } : {}) } };
          await client.apply(resource, wanted as never, { fieldManager: MANAGER, force: true, signal });
        }
      } catch (error) {
        if (isAlreadyExists(error)) return object;
        if (!isInvalid(error) && !isForbidden(error)) throw error;
        const message = `${resource.kind} ${keyOf({ namespace, name })} could not be created: ${(error as ApiError).said}`;
        const ended = { phase: "Failed", completedAt: timestamp(clock.now()), message };
        // A Backup whose deletion cannot go on is still a Backup.
        const status = object.kind === "Backup" ? {} : ended;
        throw new ReportedFailure("terminal", "CreateRefused", message, status);
      }
      return object;
    },
  };
}
