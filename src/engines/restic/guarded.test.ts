import { expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { Identification } from "../identification.ts";
import { guarded } from "./guarded.ts";

/** Work that waits at a gate, and what happens in which order. */
function scene() {
  const clock = new VirtualClock();
  const events: string[] = [];
  const found = Promise.withResolvers<string>();
  const opened = Promise.withResolvers<void>();
  opened.promise.catch(() => {});
  const gate = {
    open: () => {
      events.push("gate opened");
      opened.resolve();
    },
    refuse: () => {
      events.push("refused");
      opened.reject(new Error("ended"));
    },
  };
  const guard = { gate, identification: new Identification(() => found.promise), clock };
  const work = async (signal: AbortSignal) => {
    signal.addEventListener("abort", () => events.push("told to end"));
    await opened.promise;
    events.push("wrote");
    return "made";
  };
  return { clock, events, found, guard, work };
}

test("what waits at the gate writes once the repository is known to be the right one", async () => {
  const { events, found, guard, work } = scene();
  const working = guarded(guard, work);
  found.resolve("id");
  expect(await working).toBe("made");
  expect(events).toEqual(["gate opened", "wrote"]);
});

test("in the wrong repository it is told to end, and never comes past the gate", async () => {
  const { events, found, guard, work } = scene();
  const working = guarded(guard, work);
  found.reject(new Error("another one"));
  await expect(working).rejects.toThrow("another one");
  expect(events).toEqual(["told to end", "refused"]);
});

test("it waits for what else may speak against it, and ends when that does", async () => {
  const one = scene();
  const doubt = Promise.withResolvers<void>();
  const working = guarded({ ...one.guard, sure: doubt.promise }, one.work);
  one.found.resolve("id");
  await one.clock.advance(60_000);
  expect(one.events).toEqual([]);
  doubt.resolve();
  expect(await working).toBe("made");

  // It is not told to: it may be writing its lock.
  const other = scene();
  other.found.resolve("id");
  const refused = guarded({ ...other.guard, sure: Promise.reject(new Error("of others")) }, other.work);
  await expect(refused).rejects.toThrow("of others");
  expect(other.events).toEqual(["refused"]);
});

test("work that fails is not kept for what else may speak against it, nor asks once that did", async () => {
  const { found, guard } = scene();
  const never = new Promise<void>(() => {});
  found.resolve("id");
  const failing = guarded({ ...guard, sure: never }, () => Promise.reject(new Error("full")));
  await expect(failing).rejects.toThrow("full");

  let asked = 0;
  const find = async () => {
    asked += 1;
    return "id";
  };
  const { guard: silent, work } = scene();
  const identification = new Identification(find, "id");
  const sure = Promise.reject(new Error("of others"));
  await expect(guarded({ ...silent, identification, shown: never, sure }, work)).rejects.toThrow("of others");
  expect(asked).toBe(0);
});

test("a gate that cannot be opened ends the work", async () => {
  const { events, found, guard, work } = scene();
  const open = () => {
    throw new Error("no space");
  };
  const working = guarded({ ...guard, gate: { ...guard.gate, open } }, work);
  found.resolve("id");
  await expect(working).rejects.toThrow("no space");
  expect(events).toEqual(["told to end", "refused"]);
});

test("a failure of the work itself is the work's, when the repository is the right one", async () => {
  const { found, guard } = scene();
  const working = guarded(guard, () => Promise.reject(new Error("full")));
  found.resolve("id");
  await expect(working).rejects.toThrow("full");
});

test("a failure of both is that of the repository", async () => {
  const { found, guard } = scene();
  const working = guarded(guard, () => Promise.reject(new Error("no key found")));
  found.reject(new Error("wrong password"));
  await expect(working).rejects.toThrow("wrong password");
});

test("nobody is asked when the work itself shows that the repository is the right one", async () => {
  const { clock, events, guard, work } = scene();
  let asked = 0;
  const find = () => {
    asked += 1;
    return Promise.resolve("id");
  };
  const identification = new Identification(find, "id");
  const { promise: shown, resolve: show } = Promise.withResolvers<void>();
  const working = guarded({ ...guard, identification, shown }, work);
  await clock.advance(9000);
  expect(events).toEqual([]);
  show();
  expect(await working).toBe("made");
  await clock.advance(60_000);
  expect([asked, identification.known]).toEqual([0, "id"]);
});

test("what does not show itself in time is asked for, and so is what ends without a word", async () => {
  const { clock, events, found, guard, work } = scene();
  const never = new Promise<void>(() => {});
  const working = guarded({ ...guard, shown: never }, work);
  for (const promise of [working, found.promise]) promise.catch(() => {});
  found.reject(new Error("another one"));
  await clock.advance(9999);
  expect(events).toEqual([]);
  await clock.advance(1);
  await clock.advance(200);
  await expect(working).rejects.toThrow("another one");
  expect(events).not.toContain("wrote");

  const broken = guarded({ ...guard, shown: never }, () => Promise.reject(new Error("restic failed")));
  await expect(broken).rejects.toThrow("another one");
});
