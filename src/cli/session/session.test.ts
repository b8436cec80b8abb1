import type { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import type { SessionWriter } from "../../core/work/session/session_objects.ts";
import type { Backup } from "../../kinds/kopiur/generated/backup.ts";
import { Jobs } from "../../kube/builtin.ts";
import type { ExecOptions } from "../../kube/client/pod_client.ts";
import { readBody } from "../../lib/http.ts";
import type { Recipe } from "../restore/recipe_backups.ts";
import { backupOf, foundBackup, NOW } from "../testing/cli_samples.ts";
import { chosenSnapshot } from "./chosen_snapshot.ts";
import { cleanPath } from "./clean_path.ts";
import { ExecSender } from "./exec_sender.ts";
import { markedAsOurs } from "./marked_as_ours.ts";
import { inSameRepository, newestOf } from "./with_snapshot.ts";

test.each([
  ["", ""],
  ["/", ""],
  ["/a//b/./c/../d/", "a/b/d"],
  ["../../a", "a"],
])("the path %j is %j", (path, clean) => {
  expect(cleanPath(path)).toBe(clean);
});

describe("chosenSnapshot()", () => {
  const one = backupOf("data", "b", {});
  const [snapshot] = one.status?.snapshots ?? [];
  const two = backupOf("data", "b", {
    snapshots: [snapshot, { ...snapshot, kopiaSnapshotID: "other", pvc: "home/more" }],
  });

  test("is the only one, or the one that is named", () => {
    expect(chosenSnapshot(one, undefined).kopiaSnapshotID).toBe("id-b");
    expect(chosenSnapshot(two, "more").kopiaSnapshotID).toBe("other");
  });

  test.each([
    [two, undefined, "of several volumes"],
    [two, "nothing", "of no volume nothing"],
    [backupOf("data", "b", { phase: "Failed", snapshots: [] }), undefined, "holds no snapshot"],
  ])("says why there is none (%#)", (backup, claim, what) => {
    expect(() => chosenSnapshot(backup, claim)).toThrow(what);
  });
});

describe("the newest of a recipe", () => {
  const shop = (...volumes: readonly string[]) => {
    const sources = volumes.map((of) => ({ pvc: `home/${of}`, sourcePath: `/pvc/${of}` }));
    const repository = { kind: "Repository", name: "store", uid: "new", uniqueID: "r1" } as const;
    const resolved = { repository, identity: { username: "shop", hostname: "home", sources } };
    return { name: "shop", namespace: "home", resolved };
  };
  const newest = (backups: readonly Backup[], recipe: Recipe, claim?: string) =>
    newestOf(backups, recipe, { claim, now: NOW });
  const found = ["images", "orders"].map((of, index) =>
    foundBackup({ username: "shop", hostname: "home", sourcePath: `/pvc/${of}` }, of, {
      uniqueID: "r1",
      at: `2026-05-01T00:00:0${index}Z`,
    }),
  );

  test("is of the volume that is named, though what was found names none", () => {
    for (const of of ["images", "orders"])
      expect(newest(found, shop("images", "orders"), of).snapshot.kopiaSnapshotID).toBe(`id-${of}`);
    expect(newest(found, shop("images")).snapshot.kopiaSnapshotID).toBe("id-images");
  });

  test("is of what ran by it, before what was found", () => {
    const ran = backupOf("shop", "ran", { timing: { startTime: "2026-05-02T00:00:00Z" } });
    expect(newest([...found, ran], shop("images", "orders"), "shop").snapshot.kopiaSnapshotID).toBe("id-ran");
  });

  test("is asked for where several volumes could be meant, or there is none", () => {
    expect(() => newest(found, shop("images", "orders"))).toThrow("config shop is of several volumes");
    expect(() => newest(found, shop("images", "orders"), "more")).toThrow(
      "no Backup holds data of volume more of config shop",
    );
  });

  test("is none that does not hold all of it, which is said", () => {
    const [whole] = backupOf("shop", "half", {}).status?.snapshots ?? [];
    const half = backupOf("shop", "half", {
      timing: { startTime: "2026-05-03T00:00:00Z" },
      snapshots: [{ ...whole, incomplete: "3 files" }],
    });
    const ran = backupOf("shop", "ran", { timing: { startTime: "2026-05-02T00:00:00Z" } });
    expect(newest([ran, half], shop("shop"))).toMatchObject({
      backup: ran,
      passedOver: [{ backup: half, why: "it is incomplete: 3 files" }],
    });
    expect(() => newest([half], shop("shop"))).toThrow(
      expect.objectContaining({
        code: 3,
        why: "backup/half is the newest, and left out: it is incomplete: 3 files.",
        fix: expect.stringContaining("backup/half"),
      }),
    );
  });
});

test("a repository is the same one, whichever object stands for it", () => {
  const repository = { kind: "Repository", name: "store", uid: "before", uniqueID: "r1" };
  const [before, after, elsewhere, unknown] = [
    repository,
    { ...repository, uid: "after" },
    { ...repository, uniqueID: "r2" },
    { kind: "Repository", name: "store", uid: "before" },
  ].map((one) => backupOf("data", "b", { resolved: { repository: one } }));
  expect(before && after && inSameRepository(before, after)).toBe(true);
  expect(before && elsewhere && inSameRepository(before, elsewhere)).toBe(false);
  expect(unknown && inSameRepository(unknown, unknown)).toBe(false);
});

describe("ExecSender", () => {
  const sender = (exec: (options: ExecOptions) => Promise<{ exitCode: number; message: string }>) =>
    new ExecSender({
      pods: { exec: (_, options) => exec(options) },
      pod: { namespace: "n", name: "p" },
      port: 20_001,
      signal: new AbortController().signal,
    });

  test("puts the question in the pod, and splits the answer's status from its bytes", async () => {
    const asked: unknown[] = [];
    const one = sender(async ({ command, onStdout }) => {
      asked.push(command.slice(-2));
      for (const part of ["20", "0\nhel", "lo\n"]) await onStdout?.(Buffer.from(part));
      return { exitCode: 0, message: "" };
    });
    const { status, body } = await one.send({ method: "GET", path: "/v1/x?y=z" });
    expect([status, (await readBody(body)).toString(), asked]).toEqual([
      200,
      "hello\n",
      [["20001", "/v1/x?y=z"]],
    ]);
  });

  test("a command that fails before its answer, or in the middle, is a failure", async () => {
    const early = sender(async ({ onStderr }) => {
      onStderr?.(Buffer.from("no such key"));
      return { exitCode: 1, message: "" };
    });
    await expect(early.send({ method: "GET", path: "/" })).rejects.toThrow("no such key");
    const late = sender(async ({ onStdout }) => {
      await onStdout?.(Buffer.from("200\nhalf"));
      return { exitCode: 1, message: "killed" };
    });
    const { body } = await late.send({ method: "GET", path: "/" });
    await expect(readBody(body)).rejects.toThrow("killed");
  });

  test("waits for a slow reader without leaving listeners behind", async () => {
    const long = sender(async ({ onStdout }) => {
      await onStdout?.(Buffer.from("200\n"));
      for (let chunk = 0; chunk < 30; chunk++) await onStdout?.(Buffer.alloc(65_536));
      return { exitCode: 0, message: "" };
    });
    const body = (await long.send({ method: "GET", path: "/" })).body as unknown as PassThrough;
    let [bytes, most] = [0, 0];
    for await (const chunk of body) {
      bytes += (chunk as Buffer).length;
      most = Math.max(most, body.listenerCount("close"));
    }
    expect(bytes).toBe(30 * 65_536);
    expect(most).toBeLessThan(6);
  });

  test("whoever reads no further ends the command", async () => {
    const ended = Promise.withResolvers<unknown>();
    const endless = sender(async ({ onStdout, signal }) => {
      signal.addEventListener("abort", () => ended.resolve(signal.reason));
      await onStdout?.(Buffer.from("200\n"));
      while (!signal.aborted) await onStdout?.(Buffer.alloc(65_536));
      throw signal.reason;
    });
    const { body } = await endless.send({ method: "GET", path: "/" });
    for await (const _ of body) break;
    await expect(ended.promise).resolves.toMatchObject({ message: "the answer is not wanted any more" });
  });
});

test("what it makes does not look like the operator's, which would remove it", async () => {
  const made: unknown[] = [];
  const writer = {
    create: async (_: unknown, draft: unknown) => {
      made.push(draft);
      return draft;
    },
  } as unknown as SessionWriter;
  const labels = { "holdfast.dev/session": "true", "holdfast.dev/run": "x", app: "mine" };
  const spec = { template: { metadata: { labels }, spec: { containers: [] } } };
  await markedAsOurs(writer).create(Jobs, {
    metadata: { name: "j", labels, annotations: { "holdfast.dev/run-owner": "y" } },
    spec,
  });
  const own = { app: "mine", "holdfast.dev/cli-session": "true" };
  expect(made).toEqual([
    {
      metadata: { name: "j", labels: own, annotations: {} },
      spec: { template: { metadata: { labels: own, annotations: {} }, spec: { containers: [] } } },
    },
  ]);
});
