import { beforeEach, expect, test } from "vitest";
import { HttpFailure } from "../../lib/http.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { EngineError } from "../../wire/engine_error.ts";
import type { AnyRepository, Call } from "../frame/command.ts";
import type { OpenedSession } from "../session/open_session.ts";
import { RepositorySessions } from "./repository_sessions.ts";

let clock: VirtualClock;
let log: string[];
let opening: (name: string) => Promise<void>;
let sessions: RepositorySessions;

beforeEach(() => {
  clock = new VirtualClock();
  log = [];
  opening = async () => {};
  sessions = new RepositorySessions(
    clock,
    (signal) => ({ signal }) as Call,
    async (_, { metadata: { name } }) => {
      log.push(`open ${name}`);
      await opening(name);
      return {
        client: name,
        [Symbol.asyncDispose]: async () => void log.push(`end ${name}`),
      } as unknown as OpenedSession;
    },
  );
});

const signal = new AbortController().signal;
/** As a question says it that got no answer. */
const lost = new EngineError("Unreachable", "the repository session does not answer: read ECONNRESET", {
  cause: new HttpFailure("read ECONNRESET", { code: "ECONNRESET", sent: true }),
});
const repository = (name: string) =>
  ({ kind: "Repository", metadata: { namespace: "home", name } }) as AnyRepository;
const ask = (name: string) => sessions.ask({ signal }, repository(name), async (client) => String(client));

test("one session answers all questions, also those that come while it is opened", async () => {
  expect(await Promise.all([ask("a"), ask("a")])).toEqual(["a", "a"]);
  await ask("a");
  expect(log).toEqual(["open a"]);
});

test("it ends two minutes after the last question, and not while one is answered", async () => {
  await ask("a");
  await clock.advance(100_000);
  const lease = await sessions.lease(repository("a"), signal);
  await clock.advance(600_000);
  expect(log).toEqual(["open a"]);
  lease[Symbol.dispose]();
  await clock.advance(100_000);
  expect(log).toEqual(["open a"]);
  await clock.advance(20_000);
  expect([log, sessions.size]).toEqual([["open a", "end a"], 0]);
});

test("a lease that is given back twice counts once", async () => {
  const [first, second] = [
    await sessions.lease(repository("a"), signal),
    await sessions.lease(repository("a"), signal),
  ];
  first[Symbol.dispose]();
  first[Symbol.dispose]();
  await clock.advance(600_000);
  expect(log).toEqual(["open a"]);
  second[Symbol.dispose]();
});

test("of four the one that was used longest ago makes room, unless all are in use", async () => {
  for (const name of ["a", "b", "c", "d"]) {
    await ask(name);
    await clock.advance(10);
  }
  await ask("e");
  expect(log.at(-1)).toBe("end a");
  for (const name of ["b", "c", "d", "e"]) await sessions.lease(repository(name), signal);
  await expect(ask("f")).rejects.toMatchObject({ message: "you look into 4 repositories at once" });
});

test("one that cannot be opened, or no longer answers, is not asked again", async () => {
  opening = () => Promise.reject(new Error("no"));
  await expect(ask("a")).rejects.toThrow("no");
  opening = async () => {};
  await expect(sessions.ask({ signal }, repository("a"), () => Promise.reject(lost))).rejects.toBe(lost);
  await ask("a");
  expect(log.filter((line) => line.startsWith("open"))).toHaveLength(3);
});

test("a download whose session no longer answers ends that one, and not the next", async () => {
  const [first, second] = [
    await sessions.lease(repository("a"), signal),
    await sessions.lease(repository("a"), signal),
  ];
  first.failed(lost);
  await ask("a");
  second.failed(lost);
  await ask("a");
  expect(log.toSorted()).toEqual(["end a", "open a", "open a"]);
});

test.each([
  ["is busy", new EngineError("Unreachable", "the session is busy with 6 requests")],
  ["cannot reach its storage", new EngineError("Unreachable", "dial tcp: no route to host")],
  ["does not hold the path", new EngineError("PathMissing", "there is no a.txt")],
])("one that says that it %s goes on for all others", async (_, said) => {
  await ask("a");
  await expect(sessions.ask({ signal }, repository("a"), () => Promise.reject(said))).rejects.toBe(said);
  await ask("a");
  expect(log).toEqual(["open a"]);
});

test("whoever goes away while it is opened waits no longer, and it stays for the next", async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  opening = () => promise;
  const gone = new AbortController();
  const leased = sessions.lease(repository("a"), gone.signal);
  gone.abort(new Error("gone"));
  await expect(leased).rejects.toThrow("gone");
  resolve();
  await ask("a");
  expect(log).toEqual(["open a"]);
});

test("all of them end with the person", async () => {
  await ask("a");
  await ask("b");
  await sessions[Symbol.asyncDispose]();
  expect(log.toSorted()).toEqual(["end a", "end b", "open a", "open b"]);
});
