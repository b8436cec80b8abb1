import { backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../src/kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../src/kinds/kopiur/generated/backup_schedule.ts";
import { repositoryResource } from "../../src/kinds/kopiur/generated/repository.ts";
import { Namespaces, PersistentVolumeClaims } from "../../src/kube/builtin.ts";
import type { HttpClient } from "../../src/kube/client/http_client.ts";
import type { Draft, KubeObject } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";

const HOUR = 3_600_000;

/** Objects as an operator would have left them, for pages that only look. */
export class MadeUpCluster {
  readonly #client: HttpClient;

  constructor(client: HttpClient) {
    this.#client = client;
  }

  /** A namespace with a repository. `phase`: how the repository stands. */
  async namespace(name: string, { phase = "Ready" } = {}): Promise<void> {
    await this.#client.create(Namespaces, { metadata: { name } }).catch(() => {});
    const ready = { type: "Ready", status: "False", reason: "Unreachable", message: "the storage is away" };
    await this.#put(
      repositoryResource,
      { namespace: name, name: "store" },
      {
        backend: { filesystem: { pvc: { name: "disk" } } },
        encryption: { passwordSecretRef: { name: "store", key: "KOPIA_PASSWORD" } },
      },
      {
        phase,
        uniqueID: "u",
        ...(phase === "Ready" ? {} : { conditions: [{ ...ready, lastTransitionTime: when(1) }] }),
      },
    );
  }

  async claim(namespace: string, name: string): Promise<void> {
    await this.#put(
      PersistentVolumeClaims,
      { namespace, name },
      { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      { phase: "Bound", capacity: { storage: "1Gi" } },
    );
  }

  /** What backs a claim up every night; the claim need not be there. */
  async plan(namespace: string, name: string): Promise<void> {
    const sources = [{ pvc: `${namespace}/${name}`, sourcePath: `/${name}` }];
    await this.#put(
      backupConfigResource,
      { namespace, name },
      {
        repository: { name: "store" },
        sources: [{ pvc: { name } }],
        copyMethod: "Direct",
        retention: { keepDaily: 7 },
      },
      { phase: "Ready", resolved: { identity: { username: name, hostname: namespace, sources } } },
    );
    await this.#put(
      backupScheduleResource,
      { namespace, name },
      { configRef: { name }, schedule: { cron: "0 3 * * *" } },
      { nextSchedule: { at: when(-9) } },
    );
  }

  /** A Backup of a plan, which ended so many hours ago. `snapshot`: what a session knows it by. */
  async backup(namespace: string, plan: string, hours: number, snapshot: string): Promise<void> {
    const identity = { username: plan, hostname: namespace, sourcePath: `/${plan}` };
    const sizeBytes = 3_000_000 - hours * 1000;
    await this.#put(
      backupResource,
      { namespace, name: `${plan}-${snapshot}` },
      { configRef: { name: plan } },
      {
        phase: "Succeeded",
        origin: "scheduled",
        timing: { startTime: when(hours), endTime: when(hours) },
        stats: { sizeBytes, bytesNew: 40_000 },
        snapshots: [{ kopiaSnapshotID: snapshot, pvc: `${namespace}/${plan}`, identity, sizeBytes }],
        resolved: { repository: { kind: "Repository", namespace, name: "store", uniqueID: "u" } },
      },
    );
  }

  /** A Backup that failed with these words. */
  async failure(namespace: string, plan: string, name: string, message: string): Promise<void> {
    await this.#put(
      backupResource,
      { namespace, name },
      { configRef: { name: plan } },
      {
        phase: "Failed",
        origin: "manual",
        timing: { startTime: when(2), endTime: when(2) },
        logTail: message,
        failure: { errorClass: "Unreachable", message, retry: "transient" },
      },
    );
  }

  async #put(resource: Resource, metadata: object, spec: object, status: object): Promise<void> {
    const { metadata: made } = await this.#client.create(resource, { metadata, spec } as Draft<KubeObject>);
    const patch = { type: "merge", patch: { status } as object } as const;
    await this.#client.patch(resource, made, patch, { subresource: "status" });
  }
}

/** So many hours ago. */
function when(hours: number): string {
  return new Date(Date.now() - hours * HOUR).toISOString().replace(/\.\d+Z$/, "Z");
}
