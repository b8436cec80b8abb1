import { describe, expect, test } from "vitest";
import { testEngines } from "../../tools/images/test_engines.ts";
import { embeddedCan } from "../scenarios/embedded_world.ts";
import { HoldfastHome } from "./holdfast_home.ts";

describe.runIf(embeddedCan)("npm start -- --demo autorestore", () => {
  test("selects a volume, loses it, and has it back before its workload", { timeout: 120_000 }, async () => {
    await using home = new HoldfastHome();
    const { output, exit } = home.runProgram("tools/run/start.ts", ["--demo", "autorestore", "--once"], {
      HOLDFAST_PROGRAMS: JSON.stringify(testEngines()),
    });
    expect(await exit, output.join("\n")).toBe(0);
    const text = output.join("\n");
    expect(text).toContain("Deployment reader is back at 1 replica");
    expect(text).toMatch(/(\d+) of \1 entries, .* are identical/);
  });
});
