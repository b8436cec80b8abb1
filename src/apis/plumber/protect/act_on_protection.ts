import { type Backup, backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import { GENERATED, STATE_ANNOTATIONS } from "../../../kinds/plumber/words.ts";
import { ignoreGone, isAlreadyExists } from "../../../kube/api_error.ts";
import { PersistentVolumeClaims } from "../../../kube/builtin.ts";
import type { CallOptions, Writer } from "../../../kube/client.ts";
import { judge } from "../../../kube/failure.ts";
import type { Draft, KubeObject } from "../../../kube/object.ts";
import { withoutNulls } from "../../../kube/write/differing_fields.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import { fingerprint } from "../../../lib/hash.ts";
import { objectName } from "../../../lib/names.ts";
import { messageOf } from "../../../lib/result.ts";
import { FIELD_MANAGER } from "../field_manager.ts";
import type { Wanted } from "../output/output.ts";
import type { PlumberTally } from "../plumber_counters.ts";
import type { Intent } from "./decide_protection.ts";

export interface ActPorts {
  readonly client: Pick<Writer, "create" | "patch" | "delete">;
  readonly tally: PlumberTally;
  /** About the PVC. */
  readonly tell: (note: EventNote) => void;
}

/**
 * Carries out what was decided for a PVC. One that fails keeps the others from nothing, but for what says that all is
 * well: the PVC says that it is not. The first is thrown.
 */
export async function actOnProtection(
  ports: ActPorts,
  { pvc, intents }: { readonly pvc: KubeObject; readonly intents: readonly Intent[] },
  call: CallOptions,
): Promise<void> {
  const failures: unknown[] = [];
  for (const intent of intents) {
    if (intent.type === "Annotate" && failures.length > 0) continue;
    try {
      await actOn(ports, pvc, intent, call);
    } catch (error) {
      call.signal?.throwIfAborted();
      const { class: found, reason } = judge(error);
      ports.tally.failed(kindOf(intent), reason);
      // Somebody else has written meanwhile: the next look is soon, and finds what there is.
      if (found !== "conflict") await tellFailure(ports, pvc, `${kindOf(intent)}: ${messageOf(error)}`, call);
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

/** In the PVC's own state, as far as that can be written. */
async function tellFailure(
  { client, tell }: ActPorts,
  { metadata }: KubeObject,
  why: string,
  call: CallOptions,
): Promise<void> {
  const message = `The operator could not write a ${why}. The schedule stays as it was; the operator tries again.`;
  tell({ type: "Warning", reason: "SourceGated", message });
  if (metadata.annotations?.[STATE_ANNOTATIONS.sourceState] === "error") return;
  const patch = { metadata: { annotations: { [STATE_ANNOTATIONS.sourceState]: "error" } } };
  const options = { ...call, fieldManager: FIELD_MANAGER };
  await client
    .patch(PersistentVolumeClaims, metadata, { type: "merge", patch }, options)
    .catch(() => call.signal?.throwIfAborted());
}

async function actOn(
  { client, tally, tell }: ActPorts,
  pvc: KubeObject,
  intent: Intent,
  call: CallOptions,
): Promise<void> {
  const options = { ...call, fieldManager: FIELD_MANAGER };
  switch (intent.type) {
    case "Create":
      if (!(await createGenerated(client, intent.wanted, call))) return;
      tally.generated(intent.wanted.resource.kind);
      return tell(note("GeneratedResourceCreated", "created", intent.wanted));
    case "Correct": {
      const { present, wanted } = intent;
      await correctGenerated(client, wanted, present, call);
      const told =
        present.metadata.labels?.[GENERATED.tier] === wanted.object.metadata.labels[GENERATED.tier];
      const reason = told ? "GeneratedResourceDriftCorrected" : "GeneratedResourceUpdated";
      return tell(note(reason, told ? "put right" : "updated", wanted));
    }
    case "Delete":
      await client.delete(intent.resource, intent.present.metadata, {
        ...call,
        uid: intent.present.metadata.uid,
      });
      return;
    case "BackUp":
      return backUp(client, pvc, intent, call);
    case "Annotate": {
      const patch = { metadata: { annotations: intent.annotations } };
      await client
        .patch(PersistentVolumeClaims, pvc.metadata, { type: "merge", patch }, options)
        .catch(ignoreGone);
    }
  }
}

/** False where somebody else was faster: whose it is, the next look tells. */
export async function createGenerated(
  client: Pick<Writer, "create">,
  { resource, object }: Wanted,
  call: CallOptions,
): Promise<boolean> {
  try {
    await client.create(resource, withoutNulls(object) as Draft<KubeObject>, {
      ...call,
      fieldManager: FIELD_MANAGER,
    });
    return true;
  } catch (error) {
    if (isAlreadyExists(error)) return false;
    throw error;
  }
}

/** Only the object that was looked at: whoever changed it meanwhile is not overwritten. */
export async function correctGenerated(
  client: Pick<Writer, "patch">,
  { resource, object: { metadata, spec } }: Wanted,
  present: KubeObject,
  call: CallOptions,
): Promise<void> {
  const annotations = { ...metadata.annotations, [GENERATED.unusedSince]: null };
  const { resourceVersion } = present.metadata;
  const patch = { metadata: { resourceVersion, labels: metadata.labels, annotations }, spec } as object;
  const options = { ...call, fieldManager: FIELD_MANAGER };
  await client.patch(resource, metadata, { type: "merge", patch }, options);
}

/** The same request makes the same Backup, so that it is made once. */
async function backUp(
  client: Pick<Writer, "create">,
  { metadata }: KubeObject,
  { config, trigger }: Extract<Intent, { readonly type: "BackUp" }>,
  call: CallOptions,
): Promise<void> {
  const { namespace = "", name, uid } = metadata;
  const draft: Draft<Backup> = {
    metadata: { namespace, name: objectName(name, "manual", fingerprint(`${uid} ${trigger}`)) },
    spec: { configRef: { name: config } },
  };
  await client
    .create(backupResource, draft, { ...call, fieldManager: FIELD_MANAGER })
    .catch((error: unknown) => {
      if (!isAlreadyExists(error)) throw error;
    });
}

function note(reason: string, verb: string, { resource, object }: Wanted): EventNote {
  return {
    type: "Normal",
    reason,
    message: `The operator ${verb} ${resource.kind} ${object.metadata.name}.`,
  };
}

function kindOf(intent: Intent): string {
  if ("wanted" in intent) return intent.wanted.resource.kind;
  if (intent.type === "Delete") return intent.resource.kind;
  return intent.type === "BackUp" ? "Backup" : "PersistentVolumeClaim";
}
