import { expect } from "vitest";
import { embeddedGround } from "../../../../../test/conformance/world/embedded_ground.ts";
import { isConflict } from "../../../../kube/api_error.ts";
import {
  ConfigMaps,
  PersistentVolumeClaims,
  PersistentVolumes,
  StorageClasses,
} from "../../../../kube/builtin.ts";
import { HttpClient } from "../../../../kube/client/http_client.ts";
import { ownerReference } from "../../../../kube/write/owners.ts";
import { sleep, systemClock } from "../../../../lib/clock.ts";
import type { HttpSender } from "../../../../lib/http.ts";
import { systemRandom } from "../../../../lib/random.ts";
import { carryOutStaging } from "../carry_out_staging.ts";
import { cleanUp } from "../clean_up.ts";
import { groupDecision } from "../decide_group.ts";
import { leftovers } from "../leftovers.ts";
import { observeLeftovers } from "../observe_leftovers.ts";
import { observeStaging } from "../observe_staging.ts";
import { VolumeSnapshotClasses, VolumeSnapshotContents, VolumeSnapshots } from "../snapshot_kinds.ts";
import { stagedOf } from "../staged_of.ts";
import type { ReadyStaging, StagingState } from "../staging_decision.ts";
import type { CopyMethod, GroupRequest } from "../staging_request.ts";

export const namespace = "default";
/** The name of a storage class and of a snapshot class that retain. */
const RETAIN = "retained";

/** Every way to stage a volume by a copy. */
export const WAYS: readonly [string, CopyMethod, Partial<GroupRequest>][] = [
  ["a snapshot", "Snapshot", {}],
  ["a snapshot whose classes retain", "Snapshot", { snapshotClassName: RETAIN, storageClassName: RETAIN }],
  ["a clone", "Clone", {}],
  ["a clone whose class retains", "Clone", { storageClassName: RETAIN }],
  ["a snapshot's copy that waits for the mover", "Snapshot", { storageClassName: "holdfast-local-wait" }],
];

/** The embedded control plane, on which scenes of staging are played beside each other. */
export class Stage implements AsyncDisposable {
  readonly client: HttpClient;
  readonly sender: HttpSender;
  readonly image: string;
  readonly #close: () => Promise<void>;
  #scenes = 0;

  static async open(): Promise<Stage> {
    const opened = await embeddedGround();
    const stage = new Stage(opened.ground, async () => opened[Symbol.asyncDispose]());
    const { client } = stage;
    const driver = "local.holdfast";
    const metadata = { name: RETAIN };
    await client.create(StorageClasses, { metadata, provisioner: driver, reclaimPolicy: "Retain" });
    await client.create(VolumeSnapshotClasses, { metadata, driver, deletionPolicy: "Retain" });
    return stage;
  }

  constructor(ground: { readonly sender: HttpSender; readonly image?: string }, close: () => Promise<void>) {
    this.sender = ground.sender;
    this.image = ground.image ?? "";
    this.client = this.clientOver(ground.sender);
    this.#close = close;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#close();
  }

  clientOver(sender: HttpSender): HttpClient {
    return new HttpClient({ sender, clock: systemClock, random: systemRandom, userAgent: "test" });
  }

  /** An owner of its own, a claim with a volume, and what is asked for. */
  async scene(method: CopyMethod, changes: Partial<GroupRequest> = {}): Promise<GroupRequest> {
    const name = `scene-${++this.#scenes}`;
    await this.boundClaim(name);
    const object = await this.client.create(ConfigMaps, { metadata: { namespace, name } });
    const reference = ownerReference({
      owner: { resource: ConfigMaps, object },
      dependent: { resource: PersistentVolumeClaims, namespace },
      blockOwnerDeletion: false,
    });
    return {
      method,
      owner: { reference, namespace },
      sources: [{ namespace, name }],
      groupBy: "VolumeGroupSnapshot",
      deadline: systemClock.now() + 60_000,
      ...changes,
    };
  }

  async boundClaim(name: string): Promise<void> {
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "10Mi" } } };
    await this.client.create(PersistentVolumeClaims, { metadata: { namespace, name }, spec });
    await eventually(`claim ${name}`, async () => {
      const { status } = await this.client.get(PersistentVolumeClaims, { namespace, name });
      return status?.phase === "Bound" ? true : undefined;
    });
  }

  /** One look, decision and deed, as a controller would. */
  async round(request: GroupRequest, by = this.client): Promise<StagingState> {
    const decision = groupDecision({ ...(await observeStaging(by, request)), now: systemClock.now() });
    await carryOutStaging(by, decision.intents);
    return decision.state;
  }

  ready(request: GroupRequest, by = this.client): Promise<ReadyStaging> {
    return eventually("the copy", async () => {
      const state = await this.round(request, by);
      if (state.phase === "Refused") throw new Error(state.message);
      return state.phase === "Ready" ? state : undefined;
    });
  }

  async cleaned(request: GroupRequest, by = this.client): Promise<void> {
    await eventually("the end", async () => {
      const { sources, group } = await observeStaging(by, request);
      const { intents, done } = cleanUp(stagedOf(request.owner, sources, group));
      await carryOutStaging(by, intents);
      return done ? true : undefined;
    });
  }

  /** Everything that staging can leave behind, in the whole cluster. */
  async remains({ sources }: GroupRequest): Promise<readonly string[]> {
    const isOf = (name = "") => sources.some((source) => name.startsWith(`${source.name}-`));
    const [claims, snapshots, contents, volumes] = await Promise.all([
      this.client.list(PersistentVolumeClaims),
      this.client.list(VolumeSnapshots),
      this.client.list(VolumeSnapshotContents),
      this.client.list(PersistentVolumes),
    ]);
    const left = [
      ...claims.items.filter(({ metadata }) => isOf(metadata.name)),
      ...snapshots.items.filter(({ metadata }) => isOf(metadata.name)),
      ...contents.items.filter(({ spec }) => isOf(spec.volumeSnapshotRef.name)),
      ...volumes.items.filter(({ spec }) => isOf(spec?.claimRef?.name)),
    ];
    return left.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
  }

  /** One round of removing what owners that are gone have left; true when nothing is left to do. */
  async sweep(requests: readonly GroupRequest[]): Promise<true | undefined> {
    const gone = new Set(requests.map(({ owner }) => owner.reference.uid));
    const found = leftovers(await observeLeftovers(this.client), ({ uid }) =>
      gone.has(uid) ? "gone" : "unknown",
    );
    for (const one of found) {
      await carryOutStaging(this.client, one.cleanUp.intents).catch(ignoreConflict);
    }
    return found.length === 0 ? true : undefined;
  }

  async nothingRemains(request: GroupRequest): Promise<void> {
    await expect.poll(() => this.remains(request), { timeout: 20_000, interval: 200 }).toEqual([]);
  }
}

/** Tries until there is an answer. A conflict is no failure: a controller, too, would look again. */
export async function eventually<T>(what: string, look: () => Promise<T | undefined>): Promise<T> {
  for (let tries = 0; tries < 200; tries++) {
    const found = await look().catch(ignoreConflict);
    if (found !== undefined) return found;
    await sleep(systemClock, Math.min(25 * (tries + 1), 250));
  }
  throw new Error(`${what} did not come`);
}

function ignoreConflict(error: unknown): undefined {
  if (!isConflict(error)) throw error;
  return undefined;
}

/** Does it for each, a few at a time: they share one processor. */
export async function inTurns<T, R>(
  items: readonly T[],
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  for (let from = 0; from < items.length; from += 6) {
    results.push(...(await Promise.all(items.slice(from, from + 6).map(work))));
  }
  return results;
}
