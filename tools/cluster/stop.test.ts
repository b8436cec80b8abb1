import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { processesWith } from "../../src/lib/process_identity.ts";
import { launch, MARK } from "./launch.ts";
import { stopEverything } from "./stop.ts";

/** A cluster's folder, with programs that run for it: one, its child, and one that left the group and its parent. */
async function populated(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "cluster-"));
  onTestFinished(async () => {
    await stopEverything(directory);
    rmSync(directory, { recursive: true, force: true });
  });
  const command = ["sh", "-c", "(setsid sleep 600 &); sleep 600 & wait"];
  await launch({ command, directory, log: join(directory, "log") });
  await expect.poll(() => processesWith(MARK, directory).length, { timeout: 20_000 }).toBe(3);
  return directory;
}

test("stopEverything() ends all that runs for a cluster without a record of it, and nothing of another one", async () => {
  const [crashed, other] = [await populated(), await populated()];
  await stopEverything(crashed);
  expect(processesWith(MARK, crashed)).toEqual([]);
  expect(processesWith(MARK, other)).toHaveLength(3);
});

test("stopEverything() is content when nothing is there", async () => {
  const directory = await populated();
  await stopEverything(directory);
  await stopEverything(directory);
  expect(processesWith(MARK, directory)).toEqual([]);
});
