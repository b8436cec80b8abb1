import { writeFitted } from "../../../core/reconcile/fitted_status.ts";
import { cut, LONGEST_OF_MANY } from "../../../core/reconcile/task_words.ts";
import { refusalOf } from "../../../core/schedule/make_backup.ts";
import { type Backup, type BackupStatus, backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import { ApiError, ignoreGone, isAlreadyExists } from "../../../kube/api_error.ts";
import type { CallOptions, Patch, Writer } from "../../../kube/client.ts";
import { Failure } from "../../../kube/failure.ts";
import { type KubeObject, keyOf } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { unreachable } from "../../../lib/result.ts";
import type { ChildIntent } from "./child.ts";

type Told = KubeObject & { readonly status?: BackupStatus };

interface Target<T extends Told> {
  readonly resource: Resource<T>;
  readonly object: T;
}

/**
 * Carries out what is to be done about children: what the API server refuses in one namespace keeps no other from it.
 * Where it does not let one of several be made, the status says that it has failed there, so that the whole can end; that
 * an only child is refused is the failure of its parent.
 */
export async function actChildren<T extends Told>(
  client: Writer,
  { resource, object }: Target<T>,
  intents: readonly ChildIntent[],
  call: CallOptions,
): Promise<T> {
  const refused = new Map<string, string>();
  const troubles: unknown[] = [];
  for (const intent of intents) {
    try {
      await actChild(client, intent, call);
    } catch (error) {
      const made = intent.type === "Make" ? intent.draft.metadata.namespace : undefined;
      const known = object.status?.backupRefs?.some(({ namespace }) => namespace === made);
      if (known && made !== undefined && error instanceof Failure) refused.set(made, whyOf(error));
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

/** A deletion is not marked as the operator's own: the guard against mass deletions counts it. */
async function actChild(client: Writer, intent: ChildIntent, call: CallOptions): Promise<void> {
  switch (intent.type) {
    case "Make": {
      const { namespace, name = "" } = intent.draft.metadata;
      try {
        await client.create(backupResource, intent.draft, call);
      } catch (error) {
        // Whose it is, the next look tells.
        if (!isAlreadyExists(error)) throw refusalOf(error, keyOf({ namespace, name }));
      }
      return;
    }
    case "Adapt": {
      const { metadata } = intent.child;
      const patch = { ...intent.patch, metadata: { ...metadataOf(intent.patch), uid: metadata.uid } };
      const change = { type: "merge", patch } as unknown as Patch<Backup>;
      await client.patch(backupResource, metadata, change, call).catch(ignoreGone);
      return;
    }
    case "Remove": {
      const { metadata } = intent.child;
      await client.delete(backupResource, metadata, { uid: metadata.uid, ...call }).catch(ignoreGone);
      return;
    }
    default:
      return unreachable(intent);
  }
}

function metadataOf(patch: object): object {
  return (patch as { readonly metadata?: object }).metadata ?? {};
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
