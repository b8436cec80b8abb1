import { setTimeout as pause } from "node:timers/promises";
import type { Projection } from "../../src/kube/projection.ts";

/** What a program that follows pods is told, as JSON in its first argument. */
export interface FollowTask {
  readonly kubeconfig: string;
  readonly namespace: string;
  /** How many objects there are. */
  readonly objects: number;
  /** What our informer keeps of each. Default: all. */
  readonly keep?: Projection;
}

/** What it prints at its end. */
export interface FollowResult {
  readonly cpuMs: number;
  readonly rssMb: number;
}

export const task = (): FollowTask => JSON.parse(process.argv[2] ?? "") as FollowTask;

/** Counts objects and updates; says `synced` when all are here, and the costs when each was updated once. */
export class Tally {
  readonly #objects: number;
  #added = 0;
  #updated = 0;

  constructor(objects: number) {
    this.#objects = objects;
  }

  added(): void {
    if (++this.#added === this.#objects) process.stdout.write("synced\n");
  }

  updated(): void {
    if (++this.#updated === this.#objects) void this.#finish();
  }

  async #finish(): Promise<void> {
    const { user, system } = process.cpuUsage();
    await pause(2000);
    const result: FollowResult = {
      cpuMs: (user + system) / 1000,
      rssMb: process.memoryUsage.rss() / 2 ** 20,
    };
    process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
  }
}
