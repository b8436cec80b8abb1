import { expect, test } from "vitest";
import type { StreamedProcess, StreamedProcesses } from "../lib/streamed_process.ts";
import { overheard } from "./overheard.ts";

async function* chunks(...texts: readonly string[]): AsyncIterable<Uint8Array> {
  for (const text of texts) yield Buffer.from(text);
}

test("overheard() tells each command and each line of its standard error, and changes nothing", async () => {
  const told: string[] = [];
  let signal = "";
  const processes: StreamedProcesses = {
    start: async () =>
      ({
        stdout: chunks("data"),
        stderr: chunks(
          "Snapshot",
          "ting\n 1 hash",
          "ing\r 2 hashing\rdone\n",
          "\n",
          "x".repeat(3000),
          "\nlast",
        ),
        ended: Promise.resolve({ code: 0, signal: null }),
        kill: (name) => {
          signal = name;
        },
      }) satisfies StreamedProcess,
  };
  const process = await overheard(processes, (line) => told.push(line)).start(
    "/bin/kopia",
    ["snapshot", "create"],
    {
      env: {},
    },
  );
  const heard: Uint8Array[] = [];
  for await (const chunk of process.stderr) heard.push(chunk);
  process.kill("SIGTERM");
  expect(told.slice(0, 3)).toEqual(["kopia snapshot create", "kopia: Snapshotting", "kopia: done"]);
  expect(told[3]).toHaveLength(2001);
  expect(told.slice(4)).toEqual(["kopia: last"]);
  expect(Buffer.concat(heard).toString()).toContain("2 hashing\rdone");
  expect(signal).toBe("SIGTERM");
});
