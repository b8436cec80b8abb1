import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { restic } from "../../../test/engines/restic_engine.ts";
import { systemStreamedProcesses } from "../../lib/streamed_process.ts";
import { FidelityProgram } from "../fidelity/fidelity_program.ts";
import { Gate } from "./gate.ts";

let folder: string;
let gate: Gate;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hf-"));
  const { "holdfast-fidelity": helper = "" } = restic.programs();
  const path = join(folder, "gate");
  await new FidelityProgram(helper, systemStreamedProcesses).pipe(path);
  gate = new Gate(path);
});
afterEach(async () => {
  gate.open();
  await rm(folder, { recursive: true, force: true });
});

test("whoever reads it waits until it is opened, and reads nothing", async () => {
  let read: string | undefined;
  const reading = readFile(gate.path, "utf8").then((text) => {
    read = text;
  });
  await new Promise((wake) => setTimeout(wake, 100));
  expect(read).toBeUndefined();
  gate.open();
  await reading;
  expect(read).toBe("");
});

test("whoever comes when it is open does not wait", async () => {
  gate.open();
  gate.open();
  expect(await readFile(gate.path, "utf8")).toBe("");
});
