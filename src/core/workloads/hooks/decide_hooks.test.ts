import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { decideHooks, type HooksView } from "./decide_hooks.ts";
import type { Hook } from "./hook.ts";
import { type HookProgress, LONGEST_FAILURE, NOTHING_DONE } from "./hook_progress.ts";
import { failed, type HookSight } from "./hook_sight.ts";

const NOW = Date.parse("2026-05-24T02:13:00Z");
const AT = new Date(NOW).toISOString();
const SECOND = 1000;

const command = (name: string, more: Partial<Hook> = {}, repeatable = false): Hook => ({
  name,
  timeout: 120 * SECOND,
  continueOnFailure: false,
  action: { exec: { selector: {}, pods: "Any", command: ["sync"], repeatable } },
  ...more,
});
const job = (name: string, more: Partial<Hook> = {}): Hook => ({
  ...command(name, more),
  action: { job: { template: {} } },
});
const decide = (hooks: readonly Hook[], progress: HookProgress, more: Partial<HooksView> = {}) =>
  decideHooks({ hooks, progress, always: false, now: NOW, ...more });
const ended = (message?: string): HookSight => ({
  phase: "Ended",
  result: message === undefined ? { ok: true } : failed(message),
});
const begun: HookProgress = { finished: 0, since: AT };

describe("a series of hooks", () => {
  test("is over at once when there are none", () => {
    expect(decide([], NOTHING_DONE)).toMatchObject({ over: true, intents: [] });
  });

  test("notes that a hook is begun, and then begins it", () => {
    expect(decide([command("a")], NOTHING_DONE)).toEqual({
      progress: { finished: 0, since: AT },
      over: false,
      intents: [{ type: "Start", index: 0 }],
      failures: [],
      wakeAt: NOW + 130 * SECOND,
    });
  });

  test("waits for a hook that runs, and remembers its Job", () => {
    const sight: HookSight = { phase: "Running", job: "uid-1" };
    expect(decide([job("a")], begun, { sight })).toEqual({
      progress: { ...begun, job: "uid-1" },
      over: false,
      intents: [],
      failures: [],
      wakeAt: NOW + 120 * SECOND,
    });
  });

  test("begins the next one when one has ended well", () => {
    const { progress, intents } = decide([command("a"), command("b")], begun, { sight: ended() });
    expect(progress).toEqual({ finished: 1, since: AT });
    expect(intents).toEqual([
      { type: "Forget", index: 0, remove: true },
      { type: "Start", index: 1 },
    ]);
  });

  test("stops at one that fails, and leaves its Job for people to look at", () => {
    const decision = decide([job("a"), job("b")], begun, { sight: ended("exit code 3") });
    expect(decision).toEqual({
      progress: { finished: 1, failure: "Hook a failed: exit code 3" },
      over: true,
      intents: [{ type: "Forget", index: 0, remove: false }],
      failures: ["Hook a failed: exit code 3"],
    });
  });

  test("goes on after one that may fail, and says so", () => {
    const hooks = [command("a", { continueOnFailure: true }), command("b")];
    expect(decide(hooks, begun, { sight: ended("no") })).toMatchObject({
      progress: { finished: 1, since: AT, tolerated: "Hook a failed: no" },
      failures: ["Hook a failed: no"],
      over: false,
    });
  });

  test("that puts things in order goes on after every failure, and keeps the first", () => {
    const hooks = [command("a"), command("b")];
    const first = decide(hooks, begun, { sight: ended("one"), always: true });
    expect(first).toMatchObject({ over: false, progress: { finished: 1, since: AT } });
    const second = decide(hooks, first.progress, { sight: ended("two"), always: true });
    expect(second).toMatchObject({
      over: true,
      progress: { finished: 2, failure: "Hook a failed: one" },
      failures: ["Hook b failed: two"],
    });
  });

  test("begins no other one when it is to stop, and waits for the one that runs", () => {
    const hooks = [command("a"), command("b")];
    expect(decide(hooks, NOTHING_DONE, { stop: true })).toMatchObject({ over: true, intents: [] });
    expect(decide(hooks, begun, { stop: true, sight: { phase: "Running" } })).toMatchObject({ over: false });
    expect(decide(hooks, begun, { stop: true, sight: ended() })).toMatchObject({
      over: true,
      progress: { finished: 1 },
    });
  });

  test("ends a Job that is late, and says what it was at", () => {
    const sight: HookSight = { phase: "Running", job: "uid-1", note: "Pod b/a waits: ErrImagePull" };
    const now = NOW + 120 * SECOND;
    expect(decide([job("a")], begun, { sight, now })).toMatchObject({
      progress: { failure: "Hook a did not end within 120 s. Pod b/a waits: ErrImagePull" },
      intents: [{ type: "Forget", remove: true }],
      over: true,
    });
  });

  test("does not take a Job that is gone for one that is late", () => {
    const now = NOW + 120 * SECOND;
    const seen = { ...begun, job: "uid-1" };
    expect(decide([job("a")], seen, { sight: { phase: "Unknown" }, now }).progress.failure).toBe(
      "Hook a failed: its Job was deleted before its end was seen.",
    );
  });

  test("lets a command end itself with its time", () => {
    const sight: HookSight = { phase: "Running" };
    expect(decide([command("a")], begun, { sight, now: NOW + 129 * SECOND }).over).toBe(false);
    expect(decide([command("a")], begun, { sight, now: NOW + 130 * SECOND }).over).toBe(true);
  });

  test("takes a command that nobody knows of for failed: it may have done its work", () => {
    const { progress, intents } = decide([command("a")], begun, { sight: { phase: "Unknown" } });
    expect(progress.failure).toContain("whether it did its work is not known");
    expect(intents).toEqual([{ type: "Forget", index: 0, remove: false }]);
  });

  test("runs a command again that does no harm twice", () => {
    const now = NOW + 5;
    const hooks = [command("a", {}, true)];
    expect(decide(hooks, begun, { sight: { phase: "Unknown" }, now })).toMatchObject({
      progress: { since: new Date(now).toISOString() },
      intents: [{ type: "Start", index: 0 }],
    });
  });

  test("makes a Job that is not there yet, within the time that it had", () => {
    const now = NOW + 5;
    expect(decide([job("a")], begun, { sight: { phase: "Unknown" }, now })).toEqual({
      progress: begun,
      over: false,
      intents: [{ type: "Start", index: 0 }],
      failures: [],
      wakeAt: NOW + 120 * SECOND,
    });
  });

  test("does not make a Job again that was there", () => {
    const { progress } = decide([job("a")], { ...begun, job: "uid-1" }, { sight: { phase: "Unknown" } });
    expect(progress.failure).toContain("its Job was deleted");
  });

  test("keeps what it says within bounds", () => {
    const { progress } = decide([command("a")], begun, { sight: ended("x".repeat(5000)) });
    expect(progress.failure).toHaveLength(LONGEST_FAILURE);
  });

  test("begins every hook once, in order, however it ends and however often it is asked", () => {
    const run = fc.record({ fails: fc.boolean(), tolerated: fc.boolean(), looks: fc.nat(3) });
    fc.assert(
      fc.property(fc.array(run, { maxLength: 8 }), fc.boolean(), (runs, always) => {
        const hooks = runs.map(({ tolerated }, i) => command(`h${i}`, { continueOnFailure: tolerated }));
        const started: number[] = [];
        let progress = NOTHING_DONE;
        let over = false;
        let sight: HookSight | undefined;
        for (let i = 0; !over; i++) {
          expect(i).toBeLessThan(100);
          const decision = decideHooks({ hooks, progress, sight, always, now: NOW });
          for (const { type, index } of decision.intents) if (type === "Start") started.push(index);
          ({ progress, over } = decision);
          const current = runs[progress.finished];
          sight =
            current && current.looks > i % 4
              ? { phase: "Running" }
              : ended(current?.fails ? "no" : undefined);
        }
        const first = runs.findIndex(({ fails, tolerated }) => fails && !tolerated);
        const last = always || first < 0 ? runs.length : first + 1;
        expect(started).toEqual(runs.slice(0, last).map((_, i) => i));
        expect(progress.failure !== undefined).toBe(first >= 0);
      }),
    );
  });
});
