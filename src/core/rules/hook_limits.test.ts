import { describe, expect, test } from "vitest";
import { violationText } from "../reconcile/violation.ts";
import { hookLimits, type TimedHooks } from "./hook_limits.ts";

const exec = (word: string, timeout = "2m") => ({
  workloadExec: {
    podSelector: {},
    pods: "Any" as const,
    command: [word],
    timeout,
    continueOnFailure: false,
    repeatable: false,
  },
});
const limits = (hooks?: TimedHooks) => hookLimits(hooks ?? {}, "spec.hooks");

describe("hooks", () => {
  test("may be none, or some", () => {
    expect(limits()).toEqual([]);
    expect(limits({ beforeSnapshot: [exec("x".repeat(3500))] })).toEqual([]);
  });

  test("may not be larger than what a Backup can keep", () => {
    const [violation, ...others] = limits({ afterSnapshot: [exec("x".repeat(4096))] });
    expect(others).toEqual([]);
    expect(violation).toMatchObject({ reason: "HooksTooLarge", field: "spec.hooks" });
    expect(violation && violationText(violation)).toMatch(
      /^the hooks are \d+ bytes long: every backup keeps them .* has 4096 bytes for them\. Put what they do /,
    );
  });

  test("need some time", () => {
    expect(limits({ afterSnapshot: [exec("a"), exec("b", "0s")] })).toMatchObject([
      { reason: "Invalid", field: "spec.hooks.afterSnapshot[1].workloadExec.timeout" },
    ]);
  });
});
