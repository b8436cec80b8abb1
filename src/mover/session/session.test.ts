import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, test } from "vitest";
import type { ServedResponse } from "../../lib/https_server.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { EngineError } from "../../wire/engine_error.ts";
import { Reporter } from "../report/reporter.ts";
import { entryOf, FakeRepository, snapshotOf } from "../testing/fake_engine.ts";
import type { Listen, Send } from "./listening.ts";
import { runSession } from "./session.ts";

const keys = mkdtempSync(join(tmpdir(), "session-keys-"));
for (const name of ["ca.crt", "tls.crt", "tls.key"]) writeFileSync(join(keys, name), "PEM");
afterAll(() => rmSync(keys, { recursive: true }));

const ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends.splice(0)) end();
});

async function session(repository = new FakeRepository()) {
  const clock = new VirtualClock();
  const stop = new AbortController();
  ends.push(() => stop.abort());
  const listening = Promise.withResolvers<Parameters<Listen>[1]>();
  let closed = false;
  const ended = runSession({
    work: { listen: { tls: { port: 1, folder: keys } }, idleSeconds: 10 },
    repository,
    clock,
    signal: stop.signal,
    reporter: new Reporter({ clock, write: () => {} }),
    listen: async (_, onRequest) => {
      listening.resolve(onRequest);
      return {
        close: async () => {
          closed = true;
        },
      };
    },
  });
  const take = await listening.promise;
  const ask = async (target: string, { method = "GET", signal = new AbortController().signal } = {}) => {
    const answers: ServedResponse[] = [];
    const send: Send = async (response) => void answers.push(response);
    const [path = "", query = ""] = target.split("?");
    await take({ method, path, query: new URLSearchParams(query), signal }, send);
    const [answer] = answers;
    const { body } = answer ?? {};
    return {
      status: answer?.status,
      json: typeof body === "string" && body ? JSON.parse(body) : undefined,
      body,
    };
  };
  return { repository, clock, stop, ended, ask, isClosed: () => closed };
}

describe("a session", () => {
  test("answers what it is asked", async () => {
    const { repository, ask } = await session();
    repository.snapshots = [snapshotOf(1)];
    repository.folders.set("s1/", [entryOf("a"), entryOf("b"), entryOf("c")]);
    repository.files.set("s1/a", [Buffer.from("he"), Buffer.from("llo")]);
    repository.files.set("s1/b", []);
    expect((await ask("/v1/repository")).json).toEqual({ version: 1, repository: "fake" });
    expect((await ask("/v1/snapshots")).json).toEqual({ items: [snapshotOf(1)] });
    expect((await ask("/v1/snapshots/s1/entry?path=b")).json).toEqual(entryOf("b"));
    const page = (await ask("/v1/snapshots/s1/entries?limit=2")).json;
    expect(page).toEqual({ items: [entryOf("a"), entryOf("b")], next: "2" });
    expect((await ask("/v1/snapshots/s1/entries?limit=2&after=2")).json).toEqual({ items: [entryOf("c")] });
    expect((await ask("/v1/snapshots/s1/search?name=c")).json).toEqual({
      items: [{ ...entryOf("c"), path: "c" }],
    });
    let text = "";
    for await (const chunk of (await ask("/v1/snapshots/s1/file?path=a")).body as AsyncIterable<Uint8Array>)
      text += Buffer.from(chunk);
    expect(text).toBe("hello");
    expect(await ask("/v1/snapshots/s1/file?path=b")).toMatchObject({ status: 200, body: "" });
  });

  test.each([
    ["/v1/nothing", 404, "InvalidOption"],
    ["/v1/snapshots?limit=x", 400, "InvalidOption"],
    ["/v1/snapshots/s1/entries?after=x", 400, "InvalidOption"],
    ["/v1/snapshots/s1/entries?path=x", 404, "PathMissing"],
    ["/v1/snapshots/s1/file?path=x", 404, "PathMissing"],
    ["/v1/snapshots/s1/entry", 400, "InvalidOption"],
    ["/v1/snapshots/s1/file", 400, "InvalidOption"],
  ])("refuses %s with %i %s", async (target, status, errorClass) => {
    const { repository, ask } = await session();
    repository.folders.set("s1/", []);
    expect(await ask(target)).toMatchObject({
      status,
      json: { class: errorClass, remedy: expect.any(String) },
    });
  });

  test.each([
    ["Unreachable", 503],
    ["SnapshotMissing", 404],
    ["WrongPassword", 502],
    ["EngineFailed", 500],
  ] as const)("answers %s with %i", async (errorClass, status) => {
    const { repository, ask } = await session();
    repository.fail = () => {
      throw new EngineError(errorClass, "so");
    };
    expect(await ask("/v1/snapshots")).toMatchObject({ status, json: { class: errorClass, message: "so" } });
  });

  test("answers GET alone", async () => {
    expect(await (await session()).ask("/v1/snapshots", { method: "DELETE" })).toMatchObject({ status: 405 });
  });

  test("takes on a handful of requests, and is free again afterwards", async () => {
    const { repository, ask } = await session();
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    repository.fail = () => held;
    const running = Array.from({ length: 6 }, () => ask("/v1/snapshots"));
    expect(await ask("/v1/snapshots")).toMatchObject({ status: 503, json: { class: "Unreachable" } });
    release();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(await ask("/v1/snapshots")).toMatchObject({ status: 200 });
  });

  test("ends when nobody asks for a while, but not while it answers", async () => {
    const { repository, ask, clock, ended, isClosed } = await session();
    await clock.advance(9_000);
    await ask("/v1/repository");
    let release = () => {};
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    repository.fail = () => held;
    await clock.advance(9_000);
    const long = ask("/v1/snapshots");
    await clock.advance(60_000);
    expect(isClosed()).toBe(false);
    release();
    await long;
    await clock.advance(9_999);
    expect(isClosed()).toBe(false);
    await clock.advance(1);
    expect(await ended).toBe(2);
    expect(isClosed()).toBe(true);
  });

  test("told to end, cancels what runs and waits a moment for it", async () => {
    const { repository, ask, clock, stop, ended } = await session();
    repository.fail = async () => {
      await clock.advance(0);
    };
    const running = ask("/v1/snapshots");
    stop.abort();
    expect(await running).toMatchObject({ status: 503, json: { class: "Cancelled" } });
    expect(await ended).toBe(1);
  });

  test("ends also when what runs does not let itself be cancelled", async () => {
    const { repository, ask, clock, stop, ended, isClosed } = await session();
    repository.fail = () => new Promise(() => {});
    void ask("/v1/snapshots");
    stop.abort();
    await clock.advance(1_000);
    expect(isClosed()).toBe(false);
    await clock.advance(1_000);
    expect(await ended).toBe(1);
  });
});
