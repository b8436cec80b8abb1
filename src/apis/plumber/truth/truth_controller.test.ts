import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { EngineRoom } from "../../../core/reconcile/engine_room.ts";
import { backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import { type KubeObject, keyOf } from "../../../kube/object.ts";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import { silentLogger as log } from "../../../observe/log.ts";
import { EngineError } from "../../../wire/engine_error.ts";
import { NO_TALLY, type PlumberTally } from "../plumber_counters.ts";
import { parseIdentity } from "../policy/backup_identity.ts";
import { FakeInformers } from "../testing/fake_informers.ts";
import { PlumberWorld } from "../world.ts";
import { truthController } from "./truth_controller.ts";

const META = { uid: "u", resourceVersion: "1", creationTimestamp: "2026-01-01T00:00:00Z" };
const NEWEST = "2025-12-31T00:00:00Z";
const DAY = 86_400_000;

/** The leader's part, with a repository that behaves as a test says. */
class Leader implements AsyncDisposable {
  readonly clock = new VirtualClock();
  readonly informers = new FakeInformers();
  readonly world: PlumberWorld;
  readonly counted: string[] = [];
  /** The repository that answers, and the identities that it has backups of. */
  answers: { readonly id: string; readonly has: readonly string[] } | Error = { id: "id", has: [] };
  /** How long it takes to answer, in milliseconds. */
  delay = 0;
  asked = 0;
  atOnce = 0;
  mostAtOnce = 0;
  readonly #stop = new AbortController();
  readonly #running: Promise<void>;

  constructor() {
    const settings = { moverImage: "mover", ofApis: { plumber: { mode: "strict" } } };
    const { clock, informers } = this;
    this.world = new PlumberWorld({ informers, settings, clock });
    const { repository, maps, namespaces, settings: own } = this.world;
    const backups = informers.cache({ resource: backupResource });
    informers.put("namespaces", { kind: "Namespace", metadata: { name: "holdfast", ...META } });
    this.repository("id");
    const tally: PlumberTally = {
      ...NO_TALLY,
      refreshed: (repo) => void this.counted.push(`read ${repo}`),
      refreshFailed: (_, reason) => void this.counted.push(reason),
    };
    const random = { next: () => 0.5, bytes: () => new Uint8Array(), hex: () => "" };
    const room = {
      clock,
      random,
      log,
      settings,
      client: { apply: async (_: unknown, object: object) => this.#store(object) },
      sessions: { open: async () => this.#session() },
    } as unknown as EngineRoom;
    const controller = truthController({
      room,
      settings: own,
      repository,
      maps,
      namespaces,
      backups,
      tally,
    });
    this.#running = controller.run(this.#stop.signal, () => {});
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#stop.abort(new Error("the test is over"));
    await this.clock.advance(60_000 + this.delay);
    await this.#running;
  }

  /** The object, once its controller has connected to the storage. */
  repository(uniqueID: string, phase = "Ready"): void {
    this.informers.put("clusterrepositories", {
      kind: "ClusterRepository",
      metadata: { name: "pvc-plumber", ...META },
      spec: {
        engine: "kopia",
        create: { enabled: true },
        backend: { s3: { bucket: "backups", endpoint: "http://s3", region: "a" } },
        encryption: { passwordSecretRef: { namespace: "holdfast", name: "kopia" } },
      },
      status: { phase, uniqueID, conditions: [] },
    });
  }

  /** A Backup of ours ends. */
  backup(phase: string): void {
    const metadata = { namespace: "media", name: "data-1", ...META };
    this.informers.put("backups", { kind: "Backup", metadata, spec: {}, status: { phase } });
  }

  answer(identity = "media/data"): string {
    const parsed = parseIdentity(identity);
    if (!parsed) throw new Error(`${identity} is no identity`);
    const truth = this.world.truth.answer(parsed);
    if (truth.answer === "unknown") return `unknown: ${truth.reason}`;
    return truth.stale ? `stale ${truth.answer}` : truth.answer;
  }

  #session() {
    this.asked += 1;
    this.atOnce += 1;
    this.mostAtOnce = Math.max(this.mostAtOnce, this.atOnce);
    const { answers } = this;
    if (answers instanceof Error) {
      this.atOnce -= 1;
      throw answers;
    }
    const wait = new Promise<void>((resolve) => void this.clock.after(this.delay, resolve));
    return {
      info: async () => {
        await wait;
        return { repository: answers.id };
      },
      async *snapshots() {
        for (const identity of answers.has) {
          const [hostname, username] = identity.split("/");
          yield { identity: { username, hostname, path: "/data" }, startedAt: NEWEST };
        }
      },
      close: () => {
        this.atOnce -= 1;
      },
    };
  }

  #store(object: object): void {
    this.informers.put("configmaps", { kind: "ConfigMap", ...object } as KubeObject);
    // What was written is what every replica reads.
    expect(this.world.maps.get(keyOf((object as KubeObject).metadata))).toBeDefined();
  }
}

const away = () => new EngineError("Unreachable", "The storage does not answer.");

let leader: Leader;
beforeEach(async () => {
  leader = new Leader();
  leader.answers = { id: "id", has: ["media/data"] };
  await leader.clock.advance(1_000);
});
afterEach(() => leader[Symbol.asyncDispose]());

describe("what is known of backups", () => {
  test("is read at the start, and then at the interval", async () => {
    expect([leader.answer(), leader.answer("media/other")]).toEqual(["yes", "no"]);
    leader.answers = { id: "id", has: ["media/data", "media/other"] };
    await leader.clock.advance(58_000);
    expect(leader.answer("media/other")).toBe("no");
    await leader.clock.advance(2_000);
    expect(leader.answer("media/other")).toBe("yes");
    expect(leader.counted).toEqual(Array(2).fill("read ClusterRepository pvc-plumber"));
  });

  test("is read at once when a backup of ours has ended, and by one question at a time", async () => {
    leader.delay = 5_000;
    leader.backup("Running");
    leader.backup("Succeeded");
    await leader.clock.advance(1_000);
    leader.backup("Running");
    leader.backup("Succeeded");
    await leader.clock.advance(20_000);
    expect(leader.asked).toBe(3);
    expect(leader.mostAtOnce).toBe(1);
  });

  test("grows old while the storage is away, and is asked for more and more rarely", async () => {
    leader.answers = away();
    await leader.clock.advance(118_000);
    expect([leader.answer(), leader.answer("media/other")]).toEqual(["yes", "no"]);
    await leader.clock.advance(3_000);
    expect([leader.answer(), leader.answer("media/other")]).toEqual(["stale yes", "stale no"]);
    expect(new Set(leader.counted.slice(1))).toEqual(new Set(["Unreachable"]));
    await leader.clock.advance(DAY);
    // At most once in five minutes, and with the jitter never more rarely than twice that.
    const before = leader.asked;
    await leader.clock.advance(DAY);
    expect(leader.asked - before).toBeGreaterThanOrEqual(144);
    expect(leader.asked - before).toBeLessThanOrEqual(576);
    expect(leader.answer()).toBe("stale yes");
    leader.answers = { id: "id", has: ["media/data"] };
    await leader.clock.advance(600_000);
    expect([leader.answer(), leader.answer("media/other")]).toEqual(["yes", "no"]);
  });

  test("grows old while the storage is so slow that no list comes to an end", async () => {
    leader.delay = 1_000_000;
    await leader.clock.advance(59_000);
    expect(leader.answer("media/other")).toBe("no");
    await leader.clock.advance(63_000);
    expect(leader.answer("media/other")).toBe("stale no");
    leader.delay = 0;
    await leader.clock.advance(938_000);
    // What came then was true when it was asked for.
    expect(leader.answer("media/other")).toBe("stale no");
    await leader.clock.advance(62_000);
    expect(leader.answer("media/other")).toBe("no");
  });

  test("is as old when it comes as it took to read", async () => {
    leader.delay = 90_000;
    await leader.clock.advance(59_000 + 90_000);
    expect(leader.answer("media/other")).toBe("no");
    await leader.clock.advance(30_000);
    expect(leader.answer("media/other")).toBe("no");
    await leader.clock.advance(1_000);
    expect(leader.answer("media/other")).toBe("stale no");
  });

  test.each([
    ["another repository answers in its place", { id: "another", has: [] }],
    ["the password is wrong", new EngineError("WrongPassword", "The password is wrong.")],
  ])("is what it was, and grows old, where %s", async (_, answers) => {
    leader.answers = answers;
    await leader.clock.advance(121_000);
    expect([leader.answer(), leader.answer("media/other")]).toEqual(["stale yes", "stale no"]);
  });

  test.each([
    ["restored from an older copy", "id"],
    ["replaced by an empty one", "another"],
  ])("is in doubt for a day where the repository was %s", async (_, id) => {
    leader.repository(id);
    leader.answers = { id, has: [] };
    await leader.clock.advance(60_000);
    expect([leader.answer(), leader.answer("media/other")]).toEqual(["unknown: BackupsMissing", "no"]);
    await leader.clock.advance(DAY - 120_000);
    expect(leader.answer()).toBe("unknown: BackupsMissing");
    await leader.clock.advance(180_000);
    expect(leader.answer()).toBe("no");
  });

  test("survives a new leader, and is in doubt for no longer than it would have been", async () => {
    leader.answers = { id: "id", has: [] };
    await leader.clock.advance(60_000);
    const since = leader.world.truth.head?.readAt;
    await leader.clock.advance(600_000);
    expect(leader.world.truth.head?.readAt).not.toBe(since);
    expect(leader.answer()).toBe("unknown: BackupsMissing");
  });

  test("is none while the repository has never answered", async () => {
    await using young = new Leader();
    young.answers = away();
    await young.clock.advance(1_000);
    expect(young.answer()).toBe("unknown: Unreachable");
  });
});
