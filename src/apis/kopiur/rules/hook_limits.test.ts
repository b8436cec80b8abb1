import { describe, expect, test } from "vitest";
import type { Hooks } from "../../../kinds/kopiur/parts.ts";
import { config } from "../testing/samples.ts";
import { hookLimits } from "./hook_limits.ts";
import { violationText } from "./violation.ts";

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
const limits = (hooks?: Hooks) => hookLimits(config(hooks ? { spec: { hooks } } : {}));

describe("the hooks of a recipe", () => {
  test("may be none, or some", () => {
    expect(limits()).toEqual([]);
    expect(limits({ beforeSnapshot: [exec("x".repeat(3500))] })).toEqual([]);
  });

  test("may not be larger than what a Backup can keep", () => {
    const [violation, ...others] = limits({ afterSnapshot: [exec("x".repeat(4096))] });
    expect(others).toEqual([]);
    expect(violation).toMatchObject({ reason: "HooksTooLarge", field: "spec.hooks" });
    expect(violation && violationText(violation)).toMatch(
      /^the hooks are \d+ bytes long: every Backup keeps them .* has 4096 bytes for them\. Put what they do /,
    );
  });

  test("need some time", () => {
    expect(limits({ afterSnapshot: [exec("a"), exec("b", "0s")] })).toMatchObject([
      { reason: "Invalid", field: "spec.hooks.afterSnapshot[1].workloadExec.timeout" },
    ]);
  });
});
