import { expect, test } from "vitest";
import { runNode } from "./child.ts";

test("what takes too long is ended, and what it said is there", async () => {
  const { exitCode, output } = await runNode(["-e", "console.log('begun'); for (;;);"], { limit: 3_000 });
  expect(exitCode).not.toBe(0);
  expect(output).toContain("begun");
});

test("what ends in time is not hurried", async () => {
  const { exitCode, output } = await runNode(["-e", "console.log('done')"], { limit: 60_000 });
  expect({ exitCode, output }).toEqual({ exitCode: 0, output: "done\n" });
});
