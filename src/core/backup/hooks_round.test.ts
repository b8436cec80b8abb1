import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Hook } from "../workloads/hooks/hook.ts";
import { hookId } from "../workloads/hooks/hook.ts";
import { failed, type HookResult, type HookSight } from "../workloads/hooks/hook_sight.ts";
import { type HooksMemory, hookFailure } from "./hooks_memory.ts";
import { type Capture, decideRound, type SeriesIntent } from "./hooks_round.ts";

const NOW = Date.parse("2026-05-24T02:13:00Z");

interface Given {
  readonly job: boolean;
  readonly repeatable: boolean;
  readonly continueOnFailure: boolean;
  readonly fails: boolean;
}

/** What may happen between two looks at a Backup. */
type Event =
  | "look"
  /** What runs comes to its end. */
  | "end"
  /** The operator is stopped after it has written what it decided, and before it has done it. */
  | "crash";

const given = fc.record({
  job: fc.boolean(),
  repeatable: fc.boolean(),
  continueOnFailure: fc.boolean(),
  fails: fc.boolean(),
});
const scene = fc.record({
  before: fc.array(given, { maxLength: 3 }),
  after: fc.array(given, { maxLength: 3 }),
  events: fc.array(fc.constantFrom<Event>("look", "end", "end", "crash"), { maxLength: 20 }),
  cancelledAt: fc.integer({ min: 0, max: 25 }),
  captured: fc.boolean(),
});

const owner = { apiVersion: "v1", kind: "Backup", name: "first", uid: "uid-first" };
const hookOf = ({ job, repeatable, continueOnFailure }: Given, name: string): Hook => ({
  name,
  timeout: 60_000,
  continueOnFailure,
  action: job
    ? { job: { template: {} } }
    : { exec: { selector: {}, pods: "Any", command: ["c"], repeatable } },
});

/** A Backup with hooks in a world where operators are stopped. Commands are known to one operator, Jobs to all. */
class Play {
  memory: HooksMemory | undefined;
  /** What was begun, in order. */
  readonly log: string[] = [];
  readonly #given: Readonly<Record<string, Given>>;
  readonly #hooks: Parameters<typeof decideRound>[0]["hooks"];
  readonly #commands = new Map<string, HookResult | undefined>();
  readonly #jobs = new Map<string, HookResult | undefined>();
  #capture: Capture = "Open";

  constructor(before: readonly Given[], after: readonly Given[]) {
    const series = (purpose: "before" | "after", hooks: readonly Given[]) => ({
      owner,
      namespace: "billing",
      purpose,
      round: 1,
      hooks: hooks.map((one, index) => hookOf(one, `${purpose} ${index}`)),
    });
    this.#hooks = { before: series("before", before), after: series("after", after) };
    this.#given = Object.fromEntries(
      [before, after].flatMap((list, i) =>
        list.map((one, index) => [hookId(i === 0 ? this.#hooks.before : this.#hooks.after, index), one]),
      ),
    );
  }

  look(crash: boolean, cancelled: boolean): void {
    const { memory, intents } = decideRound({
      hooks: this.#hooks,
      memory: this.memory,
      sight: this.#sight(),
      due: this.memory === undefined && !cancelled,
      capture: this.#capture,
      attempt: 1,
      ending: cancelled || (this.memory !== undefined && hookFailure(this.memory) !== undefined),
      now: NOW,
    });
    if (this.memory?.moment !== "Capture" && memory?.moment === "Capture") this.log.push("capture");
    this.memory = memory;
    if (crash) this.#commands.clear();
    else for (const one of intents) this.#carryOut(one);
  }

  /** What is under way ends: a hook, or the capture. */
  end(captured: boolean, cancelled: boolean): void {
    for (const running of [this.#commands, this.#jobs]) {
      for (const [id, result] of running) if (!result) running.set(id, this.#resultOf(id));
    }
    if (this.memory?.moment === "Capture") this.#capture = captured && !cancelled ? "Taken" : "Over";
  }

  #sight(): HookSight | undefined {
    const { moment } = this.memory ?? {};
    if (moment !== "Before" && moment !== "After") return undefined;
    const which = moment === "Before" ? "before" : "after";
    const id = hookId(this.#hooks[which], this.memory?.[which].finished ?? 0);
    const known = this.#given[id]?.job ? this.#jobs : this.#commands;
    if (!known.has(id)) return { phase: "Unknown" };
    const result = known.get(id);
    const job = this.#given[id]?.job ? { job: id } : {};
    return result ? { phase: "Ended", result, ...job } : { phase: "Running", ...job };
  }

  #carryOut({ series, intents }: SeriesIntent): void {
    for (const { type, index } of intents) {
      const id = hookId(series, index);
      const known = this.#given[id]?.job ? this.#jobs : this.#commands;
      if (type === "Forget") this.#commands.delete(id);
      else if (!known.has(id)) {
        known.set(id, undefined);
        this.log.push(`${series.purpose} ${index}`);
      }
    }
  }

  #resultOf(id: string): HookResult {
    return this.#given[id]?.fails ? failed("no") : { ok: true };
  }
}

describe("the hooks around a capture", () => {
  test("keep their order and their promise, whenever operators are stopped and Backups cancelled", () => {
    fc.assert(
      fc.property(scene, ({ before, after, events, cancelledAt, captured }) => {
        const play = new Play(before, after);
        let crashed = false;
        let time = 0;
        const step = (event: Event) => {
          const cancelled = time++ >= cancelledAt;
          crashed ||= event === "crash";
          if (event === "end") play.end(captured, cancelled);
          play.look(event === "crash", cancelled);
        };
        for (const event of events) step(event);
        // From here on nobody is stopped, and everything ends.
        for (let i = 0; i < 40 && play.memory?.moment !== "Over"; i++) step("end");
        const { memory, log } = play;
        if (!memory) {
          expect(log).toEqual([]);
          return;
        }
        expect(memory.moment).toBe("Over");
        // Those after the capture have all had their turn, as soon as anything had begun.
        expect(memory.after.finished).toBe(after.length);
        const captures = log.indexOf("capture");
        const begun = (purpose: string) => log.filter((one) => one.startsWith(purpose));
        for (const [purpose, hooks] of [
          ["before", before],
          ["after", after],
        ] as const) {
          const once = begun(purpose).filter((one) => !hooks[Number(one.split(" ")[1])]?.repeatable);
          expect(once).toEqual([...new Set(once)]);
          expect(begun(purpose)).toEqual(begun(purpose).toSorted());
        }
        if (captures >= 0) {
          expect(log.slice(captures + 1).filter((one) => one.startsWith("before"))).toEqual([]);
          expect(log.slice(0, captures).filter((one) => one.startsWith("after"))).toEqual([]);
          expect(memory.before.failure).toBeUndefined();
          expect(memory.before.finished).toBe(before.length);
        }
        if (crashed) return;
        expect(begun("after")).toHaveLength(after.length);
        const worst = [...before.slice(0, memory.before.finished), ...after];
        expect(hookFailure(memory) !== undefined).toBe(
          worst.some(({ fails, continueOnFailure }) => fails && !continueOnFailure),
        );
      }),
      { numRuns: 500 },
    );
  });

  test("begin no round of which nobody has need", () => {
    const hooks = new Play([], []);
    hooks.look(false, true);
    expect(hooks.memory).toBeUndefined();
  });
});
