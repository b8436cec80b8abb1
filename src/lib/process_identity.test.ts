import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, test } from "vitest";
import { identify, parseStat, processesWith, processState, signal } from "./process_identity.ts";

describe("parseStat()", () => {
  test("reads past a program name with spaces and parentheses", () => {
    const stat = `42 (a (b) c) S ${Array.from({ length: 18 }, (_, i) => i).join(" ")} 98765 1 2`;
    expect(parseStat(stat)).toEqual({ state: "S", startTicks: "98765" });
  });

  test("refuses a line that is cut short", () => {
    expect(() => parseStat("42 (a) S 1 2")).toThrow("not a line");
  });
});

describe("a process", () => {
  test("is found by its environment, is alive until it is killed, and is dead then", async () => {
    const mark = `mark-${process.pid}-${process.hrtime.bigint()}`;
    const child = spawn("sleep", ["60"], { env: { PATH: process.env.PATH, HOLDFAST_TEST_MARK: mark } });
    await once(child, "spawn");
    const [found, ...others] = processesWith("HOLDFAST_TEST_MARK", mark);
    expect(others).toEqual([]);
    expect(found?.pid).toBe(child.pid);
    if (!found) return;
    expect(processState(found)).toBe("running");
    const exited = once(child, "exit");
    signal(found, "SIGKILL");
    await exited;
    expect(processState(found)).toBe("dead");
    expect(processesWith("HOLDFAST_TEST_MARK", mark)).toEqual([]);
  });

  test("that has the pid of an earlier one is not that one", () => {
    const self = identify(process.pid);
    expect(self).toBeDefined();
    const earlier = { pid: process.pid, started: `1${self?.started}` };
    expect(processState(earlier)).toBe("dead");
    signal(earlier, "SIGKILL");
  });
});
