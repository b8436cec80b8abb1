import { DELETION_REASON } from "../../../core/reconcile/annotations.ts";
import { ANNOTATIONS } from "../../../kinds/autorestore/annotations.ts";
import {
  type BackupConfig,
  backupConfigResource,
} from "../../../kinds/autorestore/generated/backup_config.ts";
import { resticBackupResource } from "../../../kinds/autorestore/generated/restic_backup.ts";
import { resticRepositoryResource } from "../../../kinds/autorestore/generated/restic_repository.ts";
import { resticRestoreResource } from "../../../kinds/autorestore/generated/restic_restore.ts";
import { GROUP } from "../../../kinds/autorestore/group.ts";
import { LABELS } from "../../../kinds/autorestore/labels.ts";
import { PersistentVolumeClaims } from "../../../kube/builtin.ts";
import type { CallOptions, Client } from "../../../kube/client.ts";
import type { Draft, KubeObject } from "../../../kube/object.ts";
import { keyOf } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { createMarked } from "../../../kube/write/create_marked.ts";
import { createMissing } from "../../../kube/write/create_missing.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import { patchSeen, unlessChanged } from "../../../kube/write/patch_seen.ts";
import { Refusals } from "../../../kube/write/refusals.ts";
import { configLabel } from "./claiming.ts";
import type { ConfigDecision } from "./decide_config.ts";
import { TRIGGER } from "./drafts.ts";
import { notMadeText } from "./trigger_words.ts";
import type { Refused } from "./while_refused.ts";

/**
 * Does what was decided, before the status says so: whatever is interrupted is done again, under the same names.
 * What an annotation asks for is made before the mark goes that it was accepted, so that none is lost. A write that the
 * API server refuses (a quota, a policy) holds up the mark of the object that asks for it alone: the rest is done, and the
 * first refusal returned.
 */
export async function actConfig(
  client: Client,
  config: BackupConfig,
  decision: ConfigDecision,
  call: CallOptions,
): Promise<Acted> {
  const refusals = new Refusals();
  const events: EventNote[] = [];
  const making =
    <T extends KubeObject>(resource: Resource<T>) =>
    async (draft: Draft<T>) => {
      if (draft.metadata.annotations?.[TRIGGER] === undefined)
        return createMissing(client, resource, draft, call);
      const notMade = await createMarked(client, resource, { draft, mark: TRIGGER }, call);
      if (notMade) events.push(notMadeText(resource.kind, draft, notMade));
    };
  await refusals.each(decision.repositories, (draft) =>
    createMissing(client, resticRepositoryResource, draft, call),
  );
  await refusals.each(decision.edited, (object) =>
    client.update(resticRepositoryResource, object, call).catch(unlessChanged),
  );
  await refusals.each(decision.release, (claim) => release(client, claim, call));
  await refusals.each(decision.claim, (claim) => take(client, config, claim, call));
  const unmade = [
    ...(await refusals.each(decision.restores, making(resticRestoreResource))),
    ...(await refusals.each(decision.backups, making(resticBackupResource))),
  ];
  // No mark goes of what was not made: neither an annotation's, nor that a PVC was restored.
  const held = new Set(unmade.flatMap(({ metadata: { annotations } }) => Object.values(annotations ?? {})));
  const decided = decision.decided.filter(({ metadata }) => !held.has(metadata.uid));
  await refusals.each(decided, (claim) => {
    const annotations = { [ANNOTATIONS.autoRestore]: claim.metadata.uid };
    return patchSeen(client, PersistentVolumeClaims, claim, { annotations }, call);
  });
  const settle = decision.settle.filter(({ mark = "" }) => !held.has(mark));
  const marks = [...settle, ...decision.accept];
  await refusals.each(marks, ({ object, annotations, mark }) => {
    // No edit may keep a mark where it is, nor may an annotation be accepted twice.
    const seen = mark === undefined ? { resourceVersion: object.metadata.resourceVersion } : {};
    return patchSeen(client, annotated(object), object, { annotations, ...seen }, call);
  });
  const kept = await refusals.each(decision.surplus, async ({ metadata }) => {
    const annotations = { [`${GROUP}/${DELETION_REASON}`]: "Retention" };
    await patchSeen(client, resticBackupResource, { metadata }, { annotations }, call);
    await client.delete(resticBackupResource, metadata, { ...call, uid: metadata.uid }).catch(unlessChanged);
  });
  const { first: error } = refusals;
  return {
    ...(error ? { refused: { error, kept } } : {}),
    settled: settle.flatMap(({ mark }) => mark ?? []),
    events,
  };
}

/** What came of it. */
export interface Acted {
  readonly refused?: Refused;
  /** The marks of annotations that are done with. */
  readonly settled: readonly string[];
  /** Of what was asked for and cannot be made. */
  readonly events: readonly EventNote[];
}

function annotated({ kind }: KubeObject): Resource {
  return (kind === "BackupConfig" ? backupConfigResource : PersistentVolumeClaims) as Resource;
}

/** Gives PVCs back that a BackupConfig has claimed. Whether it is done: one that has changed since is looked at again. */
export async function release(
  client: Pick<Client, "patch">,
  claim: KubeObject,
  call: CallOptions,
): Promise<boolean> {
  const { uid, resourceVersion } = claim.metadata;
  const [labels, annotations] = [{ [LABELS.managedBy]: null }, { [ANNOTATIONS.managedBy]: null }];
  const patch = { metadata: { uid, resourceVersion, labels, annotations } } as never;
  return client.patch(PersistentVolumeClaims, claim.metadata, { type: "merge", patch }, call).then(
    () => true,
    (error) => {
      unlessChanged(error);
      return false;
    },
  );
}

/** Of two that claim a PVC at once, the API server lets one through. */
async function take(
  client: Client,
  config: BackupConfig,
  claim: KubeObject,
  call: CallOptions,
): Promise<void> {
  const change = {
    resourceVersion: claim.metadata.resourceVersion,
    labels: { [LABELS.managedBy]: configLabel(config.metadata) },
    annotations: { [ANNOTATIONS.managedBy]: keyOf(config) },
  };
  await patchSeen(client, PersistentVolumeClaims, claim, change, call);
}
