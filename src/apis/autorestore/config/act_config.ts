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
import { createMissing } from "../../../kube/write/create_missing.ts";
import { patchSeen, unlessChanged } from "../../../kube/write/patch_seen.ts";
import { Refusals } from "../../../kube/write/refusals.ts";
import { configLabel } from "./claiming.ts";
import type { ConfigDecision } from "./decide_config.ts";
import type { Refused } from "./while_refused.ts";

/**
 * Does what was decided, before the status says so: whatever is interrupted is done again, under the same names.
 * What an annotation asks for is made before the mark goes that it was accepted, so that none is lost. A write that the
 * API server refuses (a quota, a policy) holds up the PVCs of its namespace alone: the rest is done, and the first refusal
 * returned.
 */
export async function actConfig(
  client: Client,
  config: BackupConfig,
  decision: ConfigDecision,
  call: CallOptions,
): Promise<Refused | undefined> {
  const refusals = new Refusals();
  await refusals.each(decision.repositories, (draft) =>
    createMissing(client, resticRepositoryResource, draft, call),
  );
  await refusals.each(decision.edited, (object) =>
    client.update(resticRepositoryResource, object, call).catch(unlessChanged),
  );
  await refusals.each(decision.release, (claim) => release(client, claim, call));
  await refusals.each(decision.claim, (claim) => take(client, config, claim, call));
  const unmade = [
    ...(await refusals.each(decision.restores, (draft) =>
      createMissing(client, resticRestoreResource, draft, call),
    )),
    ...(await refusals.each(decision.backups, (draft) =>
      createMissing(client, resticBackupResource, draft, call),
    )),
  ];
  // No mark goes where something was not made, and no further annotation is accepted in its place.
  const made = (object: KubeObject) => !mayHaveAskedFor(object, unmade);
  await refusals.each(decision.decided.filter(made), (claim) => {
    const annotations = { [ANNOTATIONS.autoRestore]: claim.metadata.uid };
    return patchSeen(client, PersistentVolumeClaims, claim, { annotations }, call);
  });
  const marks = [...decision.settle, ...decision.accept].filter(({ object }) => made(object));
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
  return refusals.first && { error: refusals.first, kept };
}

type Named = Pick<Draft<KubeObject>, "metadata">;

/** Annotations of a PVC ask for something in its namespace, those of a BackupConfig in any. */
function mayHaveAskedFor({ kind, metadata }: KubeObject, drafts: readonly Named[]): boolean {
  return drafts.some(
    (draft) => kind === backupConfigResource.kind || draft.metadata.namespace === metadata.namespace,
  );
}

function annotated({ kind }: KubeObject): Resource {
  return (kind === "BackupConfig" ? backupConfigResource : PersistentVolumeClaims) as Resource;
}

/** Gives PVCs back that a BackupConfig has claimed. */
export async function release(
  client: Pick<Client, "patch">,
  claim: KubeObject,
  call: CallOptions,
): Promise<void> {
  const { resourceVersion } = claim.metadata;
  const none = { [LABELS.managedBy]: null };
  const change = { resourceVersion, labels: none, annotations: { [ANNOTATIONS.managedBy]: null } };
  await patchSeen(client, PersistentVolumeClaims, claim, change, call);
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
