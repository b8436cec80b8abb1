import { storedOf } from "../../../src/apis/kopiur/admission/testing/memory_door.ts";
import { requestOf } from "../../../src/apis/kopiur/backup/observe_backup.ts";
import { makePlan } from "../../../src/apis/kopiur/backup/plan.ts";
import { readyRepository } from "../../../src/apis/kopiur/references.ts";
import { backup, readyConfig, readyNas } from "../../../src/apis/kopiur/testing/samples.ts";
import type { BackupRequest } from "../../../src/core/backup/backup.ts";
import { snapshotTask } from "../../../src/core/backup/snapshot_task.ts";
import { SETTINGS } from "../../../src/core/testing/samples.ts";
import type { RunTask } from "../../../src/core/work/run_request.ts";
import type { Backup, BackupSpec } from "../../../src/kinds/kopiur/generated/backup.ts";
import type { BackupConfig } from "../../../src/kinds/kopiur/generated/backup_config.ts";
import { type KubeObject, keyOf } from "../../../src/kube/object.ts";
import type { Result } from "../../../src/lib/result.ts";

export interface Plan {
  /** What the recipe says beyond the least, as somebody writes it. */
  readonly recipe?: object;
  readonly backup?: Partial<BackupSpec>;
  /** The claims of the namespace, all with the label app=shop. */
  readonly claims?: readonly string[];
  readonly image?: string;
  /** The namespace lets movers have privileges. */
  readonly consent?: boolean;
}

export interface PlannedBackup {
  readonly backup: Backup;
  readonly config: BackupConfig;
  readonly request: BackupRequest;
  readonly task: RunTask;
}

/** A recipe with the defaults of its schema, a Backup of it, and the run that they come to. */
export function plannedBackup(plan: Plan = {}): PlannedBackup {
  const { recipe, claims = ["data"], image = SETTINGS.moverImage, consent = false } = plan;
  const least = { repository: { name: "nas" }, sources: [{ pvc: { name: "data" } }] };
  const manifest = { kind: "BackupConfig", namespace: "billing", name: "data" };
  const { spec } = storedOf({ ...manifest, spec: { ...least, ...recipe } }) as BackupConfig;
  const config = readyConfig({ spec });
  const made = backup({ spec: plan.backup ?? {} });
  const repository = readyNas();
  const resolved = must(
    makePlan({
      backup: made,
      config,
      repository: readyRepository(repository, keyOf(repository)),
      claims: new Map(claims.map((name) => [`billing/${name}`, claimOf(name)])),
    }),
  );
  const context = { repository, settings: { moverImage: image }, namespace: "billing", consent };
  const request = requestOf(made, resolved);
  return { backup: made, config, request, task: must(snapshotTask({ ...context, backup: request })) };
}

function claimOf(name: string): KubeObject {
  const metadata = { ...backup().metadata, name, labels: { app: "shop" } };
  return { apiVersion: "v1", kind: "PersistentVolumeClaim", metadata };
}

/** The value, where the test is about what follows from it. */
export function must<T>(result: Result<T, { readonly message: string }>): T {
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
}
