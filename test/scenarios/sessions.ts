import { beforeAll, describe, expect, test } from "vitest";
import { MOVER_ACCOUNT } from "../../src/core/work/mover_accounts.ts";
import type { SessionClient } from "../../src/core/work/session/session_client.ts";
import type { TreeEntry } from "../../src/engines/testing/tree.ts";
import { sleep, systemClock } from "../../src/lib/clock.ts";
import type { EngineName } from "../../src/wire/capabilities.ts";
import { moverProcess } from "./mover_process.ts";
import { SCENARIO_ENGINES } from "./scenario_engines.ts";
import { SessionStage } from "./session_stage.ts";
import type { OpenSessionWorld, SessionWorld } from "./session_world.ts";
import { withWorld } from "./with_world.ts";

/** Some three megabytes, no two lines alike. */
const LARGE = Array.from({ length: 400_000 }, (_, line) => `${line}\n`).join("");

const TREE: readonly TreeEntry[] = [
  { path: "", folder: {} },
  { path: "letters/first.txt", file: { text: "Dear reader,\n" } },
  { path: "letters/old/second.txt", file: { text: "again" } },
  { path: "letters/\u00fcber alles & nichts?", file: { text: "odd" } },
  { path: "large", file: { text: LARGE } },
];

const ENGINES: readonly EngineName[] = ["kopia", "restic"];

/** Questions to repositories, answered by movers that stay for a while. */
export function repositorySessions(open: OpenSessionWorld): void {
  let world: SessionWorld;

  const ids = new Map<EngineName, string>();

  withWorld(open, async (opened) => {
    world = opened;
    for (const engine of ENGINES) ids.set(engine, await new SessionStage(world, engine).fill(TREE));
  });

  describe.each(SCENARIO_ENGINES)("with %s", (engine) => {
    let stage: SessionStage;
    let id: string;

    beforeAll(() => {
      stage = new SessionStage(world, engine);
      id = ids.get(engine) ?? "";
    });

    test("a session lists, browses, reads and searches, for two at once", { timeout: 120_000 }, async () => {
      await using operator = await stage.operator();
      const request = await stage.request();
      const ask = async () => asksEverything(await operator.sessions.open(request), id);
      await Promise.all([ask(), ask()]);
      expect(await stage.jobs()).toHaveLength(1);
      const [pod] = await stage.pods();
      expect(pod?.spec).toMatchObject({
        automountServiceAccountToken: false,
        serviceAccountName: MOVER_ACCOUNT,
      });
    });

    test("a session whose operator stops leaves nothing", { timeout: 120_000 }, async () => {
      const operator = await stage.operator();
      await operator.sessions.open(await stage.request());
      await operator[Symbol.asyncDispose]();
      await stage.untilGone();
    });

    test("a session that nobody asks ends, and comes back when somebody does", {
      timeout: 120_000,
    }, async () => {
      await using operator = await stage.operator({ idleSeconds: 10 });
      const client = await operator.sessions.open(await stage.request());
      await stage.untilGone();
      expect(operator.sessions.size).toBe(0);
      expect((await client.entry(id, "large")).size).toBe(LARGE.length);
    });

    test("a session whose pod is killed is replaced", { timeout: 120_000 }, async () => {
      await using operator = await stage.operator();
      const client = await operator.sessions.open(await stage.request());
      const before = (await stage.jobs()).map(({ metadata }) => metadata.name);
      await stage.killPods();
      expect((await client.entry(id, "large")).size).toBe(LARGE.length);
      const after = (await stage.jobs()).map(({ metadata }) => metadata.name);
      expect(after.filter((name) => before.includes(name))).toEqual([]);
    });

    test("with a wrong password there is no session, and the reason is given", {
      timeout: 120_000,
    }, async () => {
      await using operator = await stage.operator();
      const request = await stage.request({ password: "wrong" });
      await expect(operator.sessions.open(request)).rejects.toMatchObject({
        class: "WrongPassword",
        remedy: expect.stringContaining("password"),
      });
      await stage.untilGone();
    });

    test("what a crashed operator left is removed by the next", { timeout: 120_000 }, async () => {
      const crashed = await stage.operator();
      await crashed.sessions.open(await stage.request());
      crashed.crash();
      await using _next = await stage.operator();
      await stage.untilGone();
    });
  });

  test("a session that hangs is noticed and replaced", { timeout: 180_000 }, async () => {
    const stage = new SessionStage(world, "kopia");
    await using operator = await stage.operator();
    const client = await operator.sessions.open(await stage.request());
    const [job] = await stage.jobs();
    process.kill(moverProcess(job?.metadata.name ?? ""), "SIGSTOP");
    const begun = systemClock.monotonic();
    expect((await client.info()).version).toBe(1);
    expect(systemClock.monotonic() - begun).toBeGreaterThan(20_000);
    expect((await stage.jobs()).map(({ metadata }) => metadata.name)).not.toContain(job?.metadata.name);
  });

  test("two repositories take turns where one session is allowed", { timeout: 180_000 }, async () => {
    const [kopia, restic] = [new SessionStage(world, "kopia"), new SessionStage(world, "restic")];
    await using operator = await kopia.operator({ limit: 1 });
    const first = await operator.sessions.open(await kopia.request());
    await sleep(systemClock, 1_000);
    const second = await operator.sessions.open(await restic.request());
    const newest = async (client: SessionClient) => {
      for await (const snapshot of client.snapshots()) return snapshot.identity.username;
      return undefined;
    };
    expect(await newest(second)).toBe("data");
    expect(await newest(first)).toBe("data");
    expect(operator.sessions.size).toBe(1);
  });
}

async function asksEverything(client: SessionClient, id: string): Promise<void> {
  const snapshots = await all(client.snapshots({ username: "data" }));
  expect(snapshots.map((snapshot) => snapshot.id)).toEqual([id]);
  expect((await all(client.entries(id, ""))).map(({ name }) => name)).toEqual(["large", "letters"]);
  const names = (await all(client.entries(id, "letters", { pageSize: 1 }))).map(({ name }) => name);
  expect(names).toEqual(["first.txt", "old", "\u00fcber alles & nichts?"]);
  expect(await client.entry(id, "letters/old")).toMatchObject({ type: "Folder" });
  const found = await all(client.search(id, { name: "*.txt" }));
  expect(found.map(({ path }) => path).toSorted()).toEqual(["letters/first.txt", "letters/old/second.txt"]);
  const text = Buffer.concat([...(await all(client.read(id, "letters/\u00fcber alles & nichts?")))]);
  expect(text.toString()).toBe("odd");
  const large = Buffer.concat([...(await all(client.read(id, "large")))]).toString();
  expect(large === LARGE).toBe(true);
  await expect(client.entry(id, "nowhere")).rejects.toMatchObject({ class: "PathMissing" });
}

async function all<T>(items: AsyncIterable<T>): Promise<readonly T[]> {
  const found: T[] = [];
  for await (const item of items) found.push(item);
  return found;
}
