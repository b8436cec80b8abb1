import type { BackupStatus } from "../../../../kinds/kopiur/generated/backup.ts";
import { ApiError } from "../../../../kube/api_error.ts";
import type { CallOptions, Writer } from "../../../../kube/client.ts";
import { Failure } from "../../../../kube/controller/failure.ts";
import type { KubeObject } from "../../../../kube/object.ts";
import type { Resource } from "../../../../kube/resource.ts";
import { cut, LONGEST_OF_MANY } from "../../run_words.ts";
import { writeFitted } from "../../write_fitted.ts";
import { carryOutDelegate } from "../delegate/carry_out_delegate.ts";
import type { DelegateIntent } from "../delegate/delegate_intent.ts";

type Told = KubeObject & { readonly status?: BackupStatus };

interface Target<T extends Told> {
  readonly resource: Resource<T>;
  readonly object: T;
}

/**
 * Carries out what is to be done in several namespaces: what the API server refuses in one keeps no other from it. What
 * it does not let be made has failed there, which the status says, so that the whole can end.
 */
export async function carryOutFan<T extends Told>(
  client: Writer,
  { resource, object }: Target<T>,
  intents: readonly DelegateIntent[],
  call: CallOptions,
): Promise<T> {
  const refused = new Map<string, string>();
  const troubles: unknown[] = [];
  for (const intent of intents) {
    try {
      await carryOutDelegate(client, intent, call);
    } catch (error) {
      const made = intent.type === "Make" ? (intent.draft.metadata.namespace ?? "") : undefined;
      if (made !== undefined && error instanceof Failure) refused.set(made, whyOf(error));
      else if (error instanceof ApiError) troubles.push(error);
      // Nobody answers: that is so for all of them.
      else throw error;
    }
  }
  const told =
    refused.size > 0
      ? await writeFitted(client, { resource, object, status: withRefused(object.status, refused) }, call)
      : object;
  if (troubles.length > 0) throw troubles[0];
  return told;
}

/** In the server's own words: there is no room for more. */
function whyOf({ cause, message }: Failure): string {
  return cause instanceof ApiError ? cause.said : message;
}

function withRefused(status: BackupStatus | undefined, refused: ReadonlyMap<string, string>): BackupStatus {
  const backupRefs = status?.backupRefs?.map((entry) => {
    const why = refused.get(entry.namespace);
    if (why === undefined) return entry;
    const message = cut(`It was refused: ${why}`, LONGEST_OF_MANY);
    return { ...entry, phase: "Failed", message, refused: true } as const;
  });
  return { ...status, ...(backupRefs ? { backupRefs } : {}) };
}
