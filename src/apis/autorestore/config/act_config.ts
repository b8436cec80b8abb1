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
import { isAlreadyExists, isConflict, isNotFound } from "../../../kube/api_error.ts";
import { PersistentVolumeClaims } from "../../../kube/builtin.ts";
import type { CallOptions, Client } from "../../../kube/client.ts";
import type { Draft, KubeObject } from "../../../kube/object.ts";
import { keyOf } from "../../../kube/object.ts";
import type { Resource } from "../../../kube/resource.ts";
import { configLabel } from "./claiming.ts";
import type { ConfigDecision } from "./decide_config.ts";

/**
 * Does what was decided, before the status says so: whatever is interrupted is done again, under the same names.
 * What an annotation asks for is made before the mark goes that it was accepted, so that none is lost.
 */
export async function actConfig(
  client: Client,
  config: BackupConfig,
  decision: ConfigDecision,
  call: CallOptions,
): Promise<void> {
  for (const draft of decision.repositories) await ensure(client, resticRepositoryResource, draft, call);
  for (const object of decision.edited) {
    await client.update(resticRepositoryResource, object, call).catch(unlessGone);
  }
  for (const claim of decision.release) await release(client, claim, call);
  for (const claim of decision.claim) await take(client, config, claim, call);
  for (const draft of decision.restores) await ensure(client, resticRestoreResource, draft, call);
  for (const draft of decision.backups) await ensure(client, resticBackupResource, draft, call);
  for (const claim of decision.decided) {
    await note(
      client,
      PersistentVolumeClaims,
      claim,
      { annotations: { [ANNOTATIONS.autoRestore]: claim.metadata.uid } },
      call,
    );
  }
  for (const { object, annotations } of decision.settle) {
    await note(client, annotated(object), object, { annotations }, call);
  }
  for (const { object, annotations } of decision.accept) {
    const { resourceVersion } = object.metadata;
    await note(client, annotated(object), object, { annotations, resourceVersion }, call);
  }
  for (const { metadata } of decision.surplus) {
    const annotations = { [`${GROUP}/${DELETION_REASON}`]: "Retention" };
    await note(client, resticBackupResource as Resource, { metadata } as KubeObject, { annotations }, call);
    await client.delete(resticBackupResource, metadata, { ...call, uid: metadata.uid }).catch(unlessGone);
  }
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
  await note(client, PersistentVolumeClaims as Resource, claim, change, call);
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
  await note(client, PersistentVolumeClaims as Resource, claim, change, call);
}

/** What has changed since it was looked at is looked at again. */
async function note(
  client: Pick<Client, "patch">,
  resource: Resource,
  { metadata }: KubeObject,
  change: object,
  call: CallOptions,
): Promise<void> {
  const patch = { metadata: { uid: metadata.uid, ...change } };
  try {
    await client.patch(resource, metadata, { type: "merge", patch: patch as never }, call);
  } catch (error) {
    if (!isConflict(error) && !isNotFound(error)) throw error;
  }
}

async function ensure<T extends KubeObject>(
  client: Pick<Client, "create">,
  resource: Resource<T>,
  draft: Draft<T>,
  call: CallOptions,
): Promise<void> {
  try {
    await client.create(resource, draft, call);
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}

function unlessGone(error: unknown): void {
  if (!isNotFound(error) && !isConflict(error)) throw error;
}
