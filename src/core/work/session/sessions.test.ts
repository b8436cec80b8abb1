import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { HttpFailure } from "../../../lib/http.ts";
import { VirtualClock } from "../../../lib/virtual_clock.ts";
import { silentLogger } from "../../../observe/log.ts";
import { EngineError } from "../../../wire/engine_error.ts";
import { Sessions } from "./sessions.ts";
import { FakeSessionRunner } from "./testing/fake_session_runner.ts";
import { sampleSession } from "./testing/sample_session.ts";

let clock: VirtualClock;
let runner: FakeSessionRunner;
let stop: AbortController;

beforeEach(() => {
  clock = new VirtualClock();
  runner = new FakeSessionRunner();
  stop = new AbortController();
});
afterEach(() => stop.abort(new Error("the test is over")));

function running(limit = 2): Sessions {
  const sessions = new Sessions({ runner, clock, log: silentLogger, limit });
  void sessions.run(stop.signal, () => {});
  return sessions;
}

const repository = async (client: Promise<{ info(): Promise<{ readonly repository: string }> }>) =>
  (await (await client).info()).repository;

describe("open()", () => {
  test("starts one session for everybody who asks for a repository at once", async () => {
    const sessions = running();
    const [one, two] = await Promise.all([
      sessions.open(sampleSession("a")),
      sessions.open(sampleSession("a")),
    ]);
    expect([await repository(Promise.resolve(one)), await repository(Promise.resolve(two))]).toEqual([
      "a-1",
      "a-1",
    ]);
    await sessions.open(sampleSession("a"));
    expect(runner.log).toEqual(["start a-1"]);
  });

  test("keeps repositories apart", async () => {
    const sessions = running();
    expect(await repository(sessions.open(sampleSession("a")))).toBe("a-1");
    expect(await repository(sessions.open(sampleSession("b")))).toBe("b-2");
    expect(sessions.size).toBe(2);
  });

  test("passes on why a session does not start, to all who wait, and starts anew for the next", async () => {
    const sessions = running();
    const failure = new EngineError("WrongPassword", "that is not it");
    runner.failure = failure;
    const opened = await Promise.allSettled([1, 2].map(() => sessions.open(sampleSession("a"))));
    expect(opened.map((one) => one.status === "rejected" && one.reason)).toEqual([failure, failure]);
    expect(sessions.size).toBe(0);
    runner.failure = undefined;
    expect(await repository(sessions.open(sampleSession("a")))).toBe("a-2");
  });

  test("lets one who waits go, and goes on for the others", async () => {
    const sessions = running();
    const held = Promise.withResolvers<void>();
    runner.hold = held.promise;
    const gone = new AbortController();
    const impatient = sessions.open(sampleSession("a"), gone.signal);
    const patient = sessions.open(sampleSession("a"));
    gone.abort(new Error("enough"));
    await expect(impatient).rejects.toThrow("enough");
    held.resolve();
    expect(await repository(patient)).toBe("a-1");
  });

  test("a session ends when the last who asked has closed, and begins again for the next", async () => {
    const sessions = running();
    const one = await sessions.open(sampleSession("a"));
    const two = await sessions.open(sampleSession("a"));
    one.close();
    one.close();
    expect(sessions.size).toBe(1);
    two.close();
    expect(sessions.size).toBe(0);
    expect(runner.log).toEqual(["start a-1", "end a-1"]);
    expect(await repository(sessions.open(sampleSession("a")))).toBe("a-2");
  });

  test("a session that still answers somebody is left to end by itself", async () => {
    const sessions = running();
    const client = await sessions.open(sampleSession("a"));
    runner.silent.add("a-1");
    const answer = client.info();
    await clock.advance(0);
    client.close();
    runner.answerHeld();
    expect((await answer).repository).toBe("a-1");
    expect(sessions.size).toBe(1);
  });

  test("replaces a session whose repository was edited", async () => {
    const sessions = running();
    await sessions.open(sampleSession("a"));
    expect(await repository(sessions.open({ ...sampleSession("a"), engine: "restic" }))).toBe("a-2");
    expect(runner.log).toEqual(["start a-1", "end a-1", "start a-2"]);
  });

  test("is refused before the operator is ready, and after it was told to stop", async () => {
    const sessions = new Sessions({ runner, clock, log: silentLogger });
    await expect(sessions.open(sampleSession("a"))).rejects.toMatchObject({ reason: "SessionsClosed" });
    const ended = sessions.run(stop.signal, () => {});
    const client = await sessions.open(sampleSession("a"));
    stop.abort(new Error("stop"));
    await ended;
    expect(runner.log).toEqual(["start a-1", "end a-1"]);
    expect(runner.watched).toBe(false);
    await expect(client.info()).rejects.toMatchObject({ reason: "SessionsClosed" });
  });

  test("told to stop in the middle of a start, waits until that has cleaned up", async () => {
    const sessions = new Sessions({ runner, clock, log: silentLogger });
    const ended = sessions.run(stop.signal, () => {});
    runner.hold = new Promise(() => {});
    const opened = sessions.open(sampleSession("a"));
    const refused = expect(opened).rejects.toMatchObject({ reason: "SessionEnded" });
    await clock.advance(0);
    stop.abort(new Error("stop"));
    await ended;
    await refused;
    expect(runner.log).toEqual(["start a-1", "cleaned a-1"]);
  });
});

describe("the number of sessions", () => {
  test("is bounded: the one longest not asked makes room", async () => {
    const sessions = running();
    const first = await sessions.open(sampleSession("a"));
    await clock.advance(2_000);
    await sessions.open(sampleSession("b"));
    await clock.advance(2_000);
    await first.info();
    await clock.advance(2_000);
    await sessions.open(sampleSession("c"));
    expect(runner.log).toEqual(["start a-1", "start b-2", "end b-2", "start c-3"]);
    expect(runner.most).toBe(2);
  });

  test("a session is not taken away between two questions", async () => {
    const sessions = running(1);
    await sessions.open(sampleSession("a"));
    const second = sessions.open(sampleSession("b"));
    await clock.advance(999);
    expect(runner.log).toEqual(["start a-1"]);
    await clock.advance(1);
    await second;
    expect(runner.log).toEqual(["start a-1", "end a-1", "start b-2"]);
  });

  test("one that is busy is left alone, and the next waits for it", async () => {
    const sessions = running(1);
    const client = await sessions.open(sampleSession("a"));
    runner.silent.add("a-1");
    const asked = client.info();
    await clock.advance(5_000);
    const second = sessions.open(sampleSession("b"));
    await clock.advance(5_000);
    expect(runner.log).toEqual(["start a-1"]);
    runner.answerHeld();
    await asked;
    await clock.advance(1_000);
    expect(await repository(second)).toBe("b-2");
  });

  test("when all stay busy, says so", async () => {
    const sessions = running(1);
    const client = await sessions.open(sampleSession("a"));
    runner.silent.add("a-1");
    runner.pulse = true;
    void client.info().catch(() => {});
    await clock.advance(0);
    const refused = expect(sessions.open(sampleSession("b"))).rejects.toMatchObject({
      class: "transient",
      reason: "SessionsBusy",
      message:
        "All 1 repository sessions are busy, and none made room within 30 s. Ask again in a moment, or let the operator hold more sessions.",
    });
    await clock.advance(30_000);
    await refused;
    expect(sessions.size).toBe(1);
  });

  test("a start that failed gives its seat to the next", async () => {
    const sessions = running(1);
    runner.failure = new EngineError("Unreachable", "no");
    await expect(sessions.open(sampleSession("a"))).rejects.toThrow("no");
    runner.failure = undefined;
    expect(await repository(sessions.open(sampleSession("b")))).toBe("b-2");
  });
});

describe("a session that ended", () => {
  test("is replaced with the next question of the same client", async () => {
    const sessions = running();
    const client = await sessions.open(sampleSession("a"));
    runner.die("a-1");
    expect(sessions.size).toBe(0);
    expect((await client.info()).repository).toBe("a-2");
    expect(runner.log).toEqual(["start a-1", "end a-1", "start a-2"]);
  });

  test("in the middle of a question has it answered by its successor", async () => {
    const client = await running().open(sampleSession("a"));
    runner.silent.add("a-1");
    const asked = client.info();
    await clock.advance(1_000);
    runner.die("a-1");
    expect((await asked).repository).toBe("a-2");
  });

  test("and refuses connections before anybody noticed, is replaced as well", async () => {
    const client = await running().open(sampleSession("a"));
    runner.refusing.add("a-1");
    expect((await client.info()).repository).toBe("a-2");
    expect(runner.log).toEqual(["start a-1", "end a-1", "start a-2"]);
  });

  test("as it was about to be handed over, is taken away", async () => {
    const sessions = running(1);
    runner.dieAtOnce = true;
    await expect(sessions.open(sampleSession("a"))).rejects.toMatchObject({ reason: "SessionEnded" });
    runner.dieAtOnce = false;
    expect(await repository(sessions.open(sampleSession("b")))).toBe("b-2");
    expect(runner.log).toEqual(["start a-1", "end a-1", "start b-2"]);
  });

  test("again and again is no endless loop", async () => {
    const client = await running().open(sampleSession("a"));
    runner.refuseAll = true;
    await expect(client.info()).rejects.toMatchObject({ class: "Unreachable" });
    expect(runner.log.filter((line) => line.startsWith("start"))).toHaveLength(3);
  });
});

describe("a session that says nothing", () => {
  test("and gives no sign of life is replaced, and the question answered", async () => {
    const client = await running().open(sampleSession("a"));
    runner.silent.add("a-1");
    const asked = client.info();
    await clock.advance(24_999);
    expect(runner.log).toEqual(["start a-1"]);
    await clock.advance(1);
    expect((await asked).repository).toBe("a-2");
  });

  test("but gives signs of life may take its time", async () => {
    const client = await running().open(sampleSession("a"));
    runner.silent.add("a-1");
    runner.pulse = true;
    const asked = client.info();
    await clock.advance(600_000);
    expect(runner.log).toEqual(["start a-1"]);
    expect(runner.pulses).toBe(60);
    runner.answerHeld();
    expect((await asked).repository).toBe("a-1");
    await clock.advance(600_000);
    expect(runner.pulses).toBe(60);
  });

  test("to one question, and answers others, is asked again", async () => {
    const client = await running().open(sampleSession("a"));
    runner.pulse = true;
    runner.nextFails = new HttpFailure("reset", { code: "ECONNRESET", sent: true });
    expect((await client.info()).repository).toBe("a-1");
    expect(runner.log).toEqual(["start a-1"]);
  });

  test("in the middle of a file breaks off", async () => {
    const client = await running().open(sampleSession("a"));
    const read = client.read("s", "large")[Symbol.asyncIterator]();
    expect((await read.next()).value?.toString()).toBe("first");
    const rest = expect(read.next()).rejects.toMatchObject({ class: "Unreachable" });
    await clock.advance(25_000);
    await rest;
    expect(runner.log).toEqual(["start a-1", "end a-1"]);
  });
});
