import { backupResource } from "../../src/kinds/cozystack/generated/backup.ts";
import { backupClassResource } from "../../src/kinds/cozystack/generated/backup_class.ts";
import { backupJobResource } from "../../src/kinds/cozystack/generated/backup_job.ts";
import { restoreJobResource } from "../../src/kinds/cozystack/generated/restore_job.ts";
import type { Client, Patch } from "../../src/kube/client.ts";
import type { KubeObject } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { timestamp } from "../../src/kube/write/timestamp.ts";
import { type Clock, sleep, systemClock } from "../../src/lib/clock.ts";

/** Strategies of this type are somebody else's: no program of ours knows the kind. */
export const FOREIGN = { apiGroup: "tapes.example.com", kind: "Tape", name: "robot" };

export interface ForeignDriverOptions {
  readonly namespace: string;
  /** Default: the machine's. */
  readonly clock?: Clock;
  /** Whether its tape is torn, so that nothing can be read or written. Default: it is when data is restored. */
  readonly torn?: (doing: "backup" | "restore") => boolean;
}

const TORN = "The tape is torn.";

/**
 * A driver as a third party would write one, from the document alone: it knows the API server and the objects of the
 * contract, and nothing of ours.
 */
export class ForeignDriver implements AsyncDisposable {
  readonly #client: Client;
  readonly #options: ForeignDriverOptions;
  readonly #stop = new AbortController();
  readonly #run: Promise<void>;
  /** What it was told to do, in order. */
  readonly done: string[] = [];

  constructor(client: Client, options: ForeignDriverOptions) {
    this.#client = client;
    this.#options = options;
    this.#run = this.#loop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort();
    await this.#run;
  }

  get #clock(): Clock {
    return this.#options.clock ?? systemClock;
  }

  get #now(): string {
    return timestamp(this.#clock.now());
  }

  #isTorn(doing: "backup" | "restore"): boolean {
    return this.#options.torn?.(doing) ?? doing === "restore";
  }

  async #loop(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      await this.#backups();
      await this.#restores();
      await sleep(this.#clock, 100, this.#stop.signal).catch(() => {});
    }
  }

  async #backups(): Promise<void> {
    const { items } = await this.#client.list(backupJobResource, { namespace: this.#options.namespace });
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
      await this.#say(backupJobResource, metadata.name, { phase: "Running", startedAt: this.#now });
      this.done.push(`backup ${spec.applicationRef.name} ${match.parameters?.drive}`);
      if (this.#isTorn("backup")) {
        await this.#fail(backupJobResource, metadata.name);
        continue;
      }
      await this.#client.create(backupResource, {
        metadata: { name: metadata.name, namespace: this.#options.namespace },
        spec: {
          applicationRef: spec.applicationRef,
          strategyRef: match.strategyRef,
          takenAt: this.#now,
          driverMetadata: { drive: match.parameters?.drive ?? "" },
        },
      });
      const artifact = { uri: "tape://1", sizeBytes: 3 };
      await this.#say(backupResource, metadata.name, { phase: "Ready", artifact });
      const backupRef = { name: metadata.name };
      await this.#say(backupJobResource, metadata.name, {
        phase: "Succeeded",
        completedAt: this.#now,
        backupRef,
      });
    }
  }

  async #restores(): Promise<void> {
    const { items } = await this.#client.list(restoreJobResource, { namespace: this.#options.namespace });
    for (const { metadata, spec, status } of items) {
      if (status?.completedAt) continue;
      const name = { namespace: this.#options.namespace, name: spec.backupRef.name };
      const backup = await this.#client.get(backupResource, name).catch(() => undefined);
      if (backup?.spec.strategyRef.kind !== FOREIGN.kind) continue;
      await this.#say(restoreJobResource, metadata.name, { phase: "Running", startedAt: this.#now });
      this.done.push(`restore ${backup.spec.applicationRef.name} ${backup.spec.driverMetadata?.drive}`);
      if (this.#isTorn("restore")) await this.#fail(restoreJobResource, metadata.name);
      else await this.#say(restoreJobResource, metadata.name, { phase: "Succeeded", completedAt: this.#now });
    }
  }

  async #fail<T extends KubeObject>(resource: Resource<T>, name: string): Promise<void> {
    const lastTransitionTime = this.#now;
    const condition = { type: "Ready", status: "False", reason: "Torn", message: TORN, lastTransitionTime };
    const ended = { phase: "Failed", completedAt: this.#now, message: TORN };
    await this.#say(resource, name, { ...ended, conditions: [condition] });
  }

  async #say<T extends KubeObject>(resource: Resource<T>, name: string, status: object): Promise<void> {
    const patch = { type: "merge", patch: { status } } as unknown as Patch<T>;
    await this.#client.patch(resource, { namespace: this.#options.namespace, name }, patch, {
      subresource: "status",
    });
  }
}
