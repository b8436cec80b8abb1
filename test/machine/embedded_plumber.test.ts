import { describe, expect, test } from "vitest";
import { testEngines } from "../../tools/images/test_engines.ts";
import { embeddedCan } from "../scenarios/embedded_world.ts";
import { HoldfastHome } from "./holdfast_home.ts";

describe.runIf(embeddedCan)("npm start -- --demo plumber", () => {
  test("protects a volume by its labels, loses it, and has it back", { timeout: 120_000 }, async () => {
    await using home = new HoldfastHome();
    const { output, exit } = home.runProgram("tools/run/start.ts", ["--demo", "plumber", "--once"], {
      HOLDFAST_PROGRAMS: JSON.stringify(testEngines()),
    });
    expect(await exit, output.join("\n")).toBe(0);
    const text = output.join("\n");
    expect(text).toContain("the PVC was told to get its data from Restore documents-dst");
    expect(text).toMatch(/(\d+) of \1 entries, .* are identical/);
  });
});
