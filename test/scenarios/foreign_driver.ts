import { backupResource } from "../../src/kinds/cozystack/generated/backup.ts";
import { backupClassResource } from "../../src/kinds/cozystack/generated/backup_class.ts";
import { backupJobResource } from "../../src/kinds/cozystack/generated/backup_job.ts";
import { restoreJobResource } from "../../src/kinds/cozystack/generated/restore_job.ts";
import type { Client, Patch } from "../../src/kube/client.ts";
import type { KubeObject } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { sleep, systemClock } from "../../src/lib/clock.ts";

/** Strategies of this type are somebody else's: no program of ours knows the kind. */
export const FOREIGN = { apiGroup: "tapes.example.com", kind: "Tape", name: "robot" };

/**
 * A driver as a third party would write one, from the document alone: it knows the API server and the objects of the
 * contract, and nothing of ours.
 */
export class ForeignDriver implements AsyncDisposable {
  readonly #client: Client;
  readonly #namespace: string;
  readonly #stop = new AbortController();
  readonly #run: Promise<void>;
  /** What it was told to do, in order. */
  readonly done: string[] = [];

  constructor(client: Client, namespace: string) {
    this.#client = client;
    this.#namespace = namespace;
    this.#run = this.#loop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#run;
  }

  async #loop(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#backups();
      await this.#restores();
      await sleep(systemClock, 100);
    }
  }

  async #backups(): Promise<void> {
    const { items } = await this.#client.list(backupJobResource, { namespace: this.#namespace });
    for (const { metadata, spec, status } of items) {
      if (status?.completedAt) continue;
      const name = { name: spec.backupClassName };
      const found = await this.#client.get(backupClassResource, name).catch(() => undefined);
      const { apiGroup: group = "apps.cozystack.io", kind } = spec.applicationRef;
      const match = found?.spec.strategies.find(
        ({ application }) =>
          application.kind === kind && (application.apiGroup ?? "apps.cozystack.io") === group,
      );
      if (match?.strategyRef.kind !== FOREIGN.kind || match.strategyRef.apiGroup !== FOREIGN.apiGroup)
        continue;
      await this.#say(backupJobResource, metadata.name, { phase: "Running", startedAt: now() });
      this.done.push(`backup ${spec.applicationRef.name} ${match.parameters?.drive}`);
      await this.#client.create(backupResource, {
        metadata: { name: metadata.name, namespace: this.#namespace },
        spec: {
          applicationRef: spec.applicationRef,
          strategyRef: match.strategyRef,
          takenAt: now(),
          driverMetadata: { drive: match.parameters?.drive ?? "" },
        },
      });
      const artifact = { uri: "tape://1", sizeBytes: 3 };
      await this.#say(backupResource, metadata.name, { phase: "Ready", artifact });
      const backupRef = { name: metadata.name };
      await this.#say(backupJobResource, metadata.name, {
        phase: "Succeeded",
        completedAt: now(),
        backupRef,
      });
    }
  }

  async #restores(): Promise<void> {
    const { items } = await this.#client.list(restoreJobResource, { namespace: this.#namespace });
    for (const { metadata, spec, status } of items) {
      if (status?.completedAt) continue;
      const name = { namespace: this.#namespace, name: spec.backupRef.name };
      const backup = await this.#client.get(backupResource, name).catch(() => undefined);
      if (backup?.spec.strategyRef.kind !== FOREIGN.kind) continue;
      await this.#say(restoreJobResource, metadata.name, { phase: "Running", startedAt: now() });
      this.done.push(`restore ${backup.spec.applicationRef.name} ${backup.spec.driverMetadata?.drive}`);
      const message = "The tape is torn.";
      await this.#say(restoreJobResource, metadata.name, { phase: "Failed", completedAt: now(), message });
    }
  }

  async #say<T extends KubeObject>(resource: Resource<T>, name: string, status: object): Promise<void> {
    const patch = { type: "merge", patch: { status } } as unknown as Patch<T>;
    await this.#client.patch(resource, { namespace: this.#namespace, name }, patch, {
      subresource: "status",
    });
  }
}

const now = () => new Date(systemClock.now()).toISOString().replace(/\.\d+/, "");
