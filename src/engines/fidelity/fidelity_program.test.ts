import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { kopia } from "../../../test/engines/kopia_engine.ts";
import { systemStreamedProcesses } from "../../lib/streamed_process.ts";
import { FidelityProgram } from "./fidelity_program.ts";

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hf-"));
  await writeFile(join(folder, "a"), "content");
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function textOf(record: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of record) parts.push(part);
  return Buffer.concat(parts).toString();
}

test("a record is whole, however late it is read", async () => {
  const { "holdfast-fidelity": helper = "" } = kopia.programs();
  const program = new FidelityProgram(helper, systemStreamedProcesses);
  const { record, survey } = await program.scan(folder);
  await Promise.race([survey, new Promise((wake) => setTimeout(wake, 500))]);
  expect(await textOf(record)).toMatch(/^\{"holdfast":1\}\n.*\{"end":true\}\n$/s);
  expect(await survey).toMatchObject({ files: 1, folders: 1 });
});

test("a record of which a part was lost is an error, and never taken for the whole", async () => {
  const program = new FidelityProgram("helper", {
    start: async () => ({
      stdout: chunks('{"holdfast":1}\n'),
      stderr: chunks(`${JSON.stringify({ files: 1, digest: "of something longer" })}\n`),
      ended: Promise.resolve({ code: 0, signal: null }),
      kill: () => {},
    }),
  });
  const { record } = await program.scan(folder);
  await expect(textOf(record)).rejects.toThrow("a part of the record was lost");
});

async function* chunks(...texts: readonly string[]): AsyncIterable<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}
