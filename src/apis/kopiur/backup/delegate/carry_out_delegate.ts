import { type Backup, backupResource } from "../../../../kinds/kopiur/generated/backup.ts";
import { ignoreGone, isAlreadyExists } from "../../../../kube/api_error.ts";
import type { CallOptions, Client, Patch } from "../../../../kube/client.ts";
import { keyOf } from "../../../../kube/object.ts";
import { unreachable } from "../../../../lib/result.ts";
import { refusalOf } from "../../schedule/make_backup.ts";
import type { DelegateIntent } from "./delegate_intent.ts";

/** Carries an intent out. A deletion is not marked as the operator's own: the guard against mass deletions counts it. */
export async function carryOutDelegate(
  client: Pick<Client, "create" | "patch" | "delete">,
  intent: DelegateIntent,
  call: CallOptions,
): Promise<void> {
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
      const { metadata } = intent.delegate;
      const patch = { ...intent.patch, metadata: { ...metadataOf(intent.patch), uid: metadata.uid } };
      const change = { type: "merge", patch } as unknown as Patch<Backup>;
      await client.patch(backupResource, metadata, change, call).catch(ignoreGone);
      return;
    }
    case "Remove": {
      const { metadata } = intent.delegate;
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
