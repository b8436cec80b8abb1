import { writeFitted } from "../../../core/reconcile/fitted_status.ts";
import { conditionsFor } from "../../../core/reconcile/ready_state.ts";
import { ARTIFACT } from "../../../kinds/cozystack/finalizers.ts";
import { type Backup, backupResource } from "../../../kinds/cozystack/generated/backup.ts";
import { LABELS, MADE_BY, RESTORES_ELSEWHERE } from "../../../kinds/cozystack/labels.ts";
import { isAlreadyExists } from "../../../kube/api_error.ts";
import type { CallOptions, Client } from "../../../kube/client.ts";
import type { Draft, KubeObject } from "../../../kube/object.ts";
import { timestamp } from "../../../kube/write/timestamp.ts";
import { bytesText } from "../../../lib/bytes_text.ts";
import { labelValue } from "../../../lib/names.ts";
import { strategyWithGroup } from "../core/resolve_class.ts";
import type { BackupWork, Driver, Step } from "./driver.ts";

type Succeeded = Extract<Step, { type: "Succeeded" }>;

/** The Backup of a BackupJob. Nothing owns it: what stands for stored data never goes by cascade. */
function backupDraft(
  work: BackupWork<KubeObject>,
  step: Succeeded,
  { restoresElsewhere }: Pick<Driver, "restoresElsewhere">,
): Draft<Backup> {
  const { object: job, namespace, applicationRef, parameters, now } = work;
  const { planRef } = job.spec;
  const { strategyRef, startedAt = timestamp(now) } = job.status ?? {};
  if (!strategyRef) throw new Error(`BackupJob ${job.metadata.name} has no strategy`);
  return {
    metadata: {
      name: job.metadata.name,
      namespace,
      labels: {
        [LABELS.backupJob]: labelValue(job.metadata.name),
        ...(planRef ? { [LABELS.plan]: labelValue(planRef.name) } : {}),
      },
      annotations: {
        [MADE_BY]: job.metadata.uid,
        ...(restoresElsewhere ? { [RESTORES_ELSEWHERE]: "true" } : {}),
      },
      finalizers: [ARTIFACT],
    },
    spec: {
      applicationRef,
      ...(planRef ? { planRef: { name: planRef.name } } : {}),
      strategyRef: strategyWithGroup(strategyRef),
      takenAt: step.takenAt ?? startedAt,
      driverMetadata: { ...parameters, ...step.metadata },
    },
  };
}

/** Makes the Backup and says that it is Ready. Done twice, it is the same one; false where its name is taken. */
export async function recordBackup(
  { client, driver }: { readonly client: Client; readonly driver: Pick<Driver, "restoresElsewhere"> },
  work: BackupWork<KubeObject>,
  step: Succeeded,
  call: CallOptions,
): Promise<boolean> {
  const draft = backupDraft(work, step, driver);
  const backup = await client.create(backupResource, draft, call).catch(async (error: unknown) => {
    if (!isAlreadyExists(error)) throw error;
    const { namespace, name } = work.object.metadata;
    return client.get(backupResource, { namespace, name }, call);
  });
  if (backup.metadata.annotations?.[MADE_BY] !== work.object.metadata.uid) return false;
  if (backup.status?.phase === "Ready") return true;
  const { uri, sizeBytes, checksum } = step.artifact ?? { uri: "" };
  const message = ["The Backup can be restored.", step.lacks].filter(Boolean).join(" ");
  const ready = { state: "ready", reason: "Ready", message } as const;
  const { generation } = backup.metadata;
  const status = {
    phase: "Ready",
    ...(generation === undefined ? {} : { observedGeneration: generation }),
    ...(step.artifact
      ? {
          artifact: {
            uri,
            ...(sizeBytes === undefined ? {} : { sizeBytes, size: bytesText(sizeBytes) }),
            ...(checksum === undefined ? {} : { checksum }),
          },
        }
      : {}),
    conditions: conditionsFor(backup, ready, [], work.now),
  };
  await writeFitted(client, { resource: backupResource, object: backup, status }, call);
  return true;
}
