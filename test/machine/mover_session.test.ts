import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { mkdir, writeFile } from "node:fs/promises";
import type { IncomingMessage } from "node:http";
import { type RequestOptions, request as secure } from "node:https";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { buildTree } from "../../src/engines/testing/tree.ts";
import type { Entry } from "../../src/wire/entry.ts";
import type { FoundEntry, Page } from "../../src/wire/session.ts";
import type { Snapshot } from "../../src/wire/snapshot.ts";
import { freePort } from "../../tools/cluster/free_port.ts";
import { type SessionIdentities, sessionIdentities } from "./mover_keys.ts";
import { MoverPod, type RunningMover } from "./mover_pod.ts";

const BYTES = 40_000_000;

describe.each(["kopia", "restic"] as const)("a session on %s", (engine) => {
  let pod: MoverPod;
  let session: RunningMover;
  let keys: SessionIdentities;
  let port: number;
  let id: string;

  beforeAll(async () => {
    pod = await MoverPod.make(engine);
    await buildTree(pod.path("volumes/data"), [
      { path: "", folder: {} },
      { path: "a.txt", file: { text: "hello" } },
      { path: "empty", file: { text: "" } },
      { path: "deep/b.txt", file: { text: "b" } },
      { path: "deep/er/c.txt", file: { text: "c" } },
      { path: "large", file: { random: { bytes: BYTES, seed: 1 } } },
    ]);
    await pod.done({ init: { create: true } });
    const { snapshot } = await pod.done({ snapshot: { sources: [pod.source("data")] } });
    id = snapshot.snapshots[0]?.snapshot.id ?? "";
    keys = sessionIdentities();
    await mkdir(pod.path("keys"));
    await writeFile(pod.path("keys/ca.crt"), keys.ca);
    await writeFile(pod.path("keys/tls.crt"), keys.server.cert);
    await writeFile(pod.path("keys/tls.key"), keys.server.key);
    port = await freePort();
    session = await opened();
  });
  afterAll(() => pod[Symbol.asyncDispose]());

  async function opened(idleSeconds = 60) {
    const listen = { tls: { port, folder: "/holdfast/keys" } };
    const mover = await pod.start({ session: { listen, idleSeconds } });
    await mover.until(({ step }) => step === "session");
    return mover;
  }

  function ask(path: string, more: RequestOptions = {}): Promise<IncomingMessage> {
    return new Promise((resolve, reject) => {
      const tls = { host: "127.0.0.1", port, ca: keys.ca, ...keys.client };
      const request = secure({ ...tls, path, ...more }, resolve);
      request.once("error", reject);
      request.end();
    });
  }

  async function json<T>(path: string, more = {}): Promise<{ readonly status: number; readonly body: T }> {
    const answer = await ask(path, more);
    return { status: answer.statusCode ?? 0, body: JSON.parse(await text(answer)) as T };
  }

  test("says which repository it is, and lists its snapshots", async () => {
    expect(await json("/v1/repository")).toMatchObject({ status: 200, body: { version: 1 } });
    const { body } = await json<Page<Snapshot>>("/v1/snapshots?username=app");
    expect(body.items.map((snapshot) => snapshot.id)).toEqual([id]);
    expect((await json<Page<Snapshot>>("/v1/snapshots?username=other")).body).toEqual({ items: [] });
  });

  test("browses in pages, and shows a single entry", async () => {
    const { body } = await json<Page<Entry>>(`/v1/snapshots/${id}/entries?limit=3`);
    expect(body.items.map(({ name }) => name)).toEqual(["a.txt", "deep", "empty"]);
    const rest = await json<Page<Entry>>(`/v1/snapshots/${id}/entries?limit=3&after=${body.next}`);
    expect(rest.body).toMatchObject({ items: [{ name: "large", size: BYTES }] });
    expect(rest.body.next).toBeUndefined();
    expect(await json(`/v1/snapshots/${id}/entry?path=deep/er`)).toMatchObject({
      status: 200,
      body: { name: "er", type: "Folder" },
    });
  });

  test("searches by name", async () => {
    const { body } = await json<Page<FoundEntry>>(`/v1/snapshots/${id}/search?name=*.txt`);
    expect(body.items.map(({ path }) => path)).toEqual(["a.txt", "deep/b.txt", "deep/er/c.txt"]);
  });

  test("streams files at the reader's pace", async () => {
    expect(await text(await ask(`/v1/snapshots/${id}/file?path=empty`))).toBe("");
    const answer = await ask(`/v1/snapshots/${id}/file?path=large`);
    answer.pause();
    const before = memoryOf(session);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(memoryOf(session) - before).toBeLessThan(20);
    const hash = createHash("sha256");
    for await (const chunk of answer) hash.update(chunk);
    const original = createHash("sha256").update(readFileSync(pod.path("volumes/data/large")));
    expect(hash.digest("hex")).toBe(original.digest("hex"));
  });

  test.each([
    ["/v1/snapshots/ffffffffffffffff/entries", 404, "SnapshotMissing"],
    ["/v1/snapshots/ID/entries?path=nowhere", 404, "PathMissing"],
    ["/v1/snapshots/ID/file?path=nowhere", 404, "PathMissing"],
    ["/v1/snapshots/ID/file?path=deep", 404, "PathMissing"],
    ["/v1/snapshots/ID/entries?limit=0", 400, "InvalidOption"],
    ["/v1/elsewhere", 404, "InvalidOption"],
  ])("answers %s with %i %s", async (path, status, errorClass) => {
    const answer = await json<{ class: string }>(path.replace("ID", id));
    expect([answer.status, answer.body.class]).toEqual([status, errorClass]);
  });

  test("reads only", async () => {
    expect((await json("/v1/repository", { method: "DELETE" })).status).toBe(405);
  });

  test("talks to nobody whose certificate its authority did not sign", async () => {
    await expect(ask("/v1/repository", { cert: undefined, key: undefined })).rejects.toThrow();
    const stranger = sessionIdentities().client;
    await expect(ask("/v1/repository", { ...stranger })).rejects.toThrow();
    await expect(ask("/v1/repository", { ca: sessionIdentities().ca })).rejects.toThrow();
  });

  test("ends at once when told to, also in the middle of a file", async () => {
    const answer = await ask(`/v1/snapshots/${id}/file?path=large`);
    answer.pause();
    const cut = expect(text(answer)).rejects.toThrow();
    const begun = performance.now();
    session.child.kill("SIGTERM");
    const { code, result } = await session.ended;
    expect(performance.now() - begun).toBeLessThan(4000);
    expect(code).toBe(0);
    expect(result.answer).toMatchObject({ session: { requests: expect.any(Number) } });
    await cut;
  });

  test("ends by itself when nobody asks", async () => {
    const idle = await opened(3);
    expect((await json("/v1/repository")).status).toBe(200);
    expect(await idle.ended).toMatchObject({ code: 0, result: { answer: { session: { requests: 1 } } } });
  });
});

/** Resident memory in MB. */
function memoryOf({ child }: RunningMover): number {
  return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]) / 1024;
}
