import { expect, test } from "vitest";
import type { StreamedProcesses } from "../../lib/streamed_process.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import type { EngineProgram } from "../running_program.ts";
import { printingProcesses } from "../testing/printing_processes.ts";
import { runKopia, streamKopia } from "./command.ts";

const STANDSTILL = 5000;
const OPTIONS = { what: "storing", mustMove: true } as const;
const STOOD_STILL = { class: "Unreachable", message: "storing: the storage let nothing pass for 5 s" };

/** A kopia that takes what it is given, prints this, and then does nothing until it is told to end. */
function hangingKopia(...prints: readonly string[]) {
  const clock = new VirtualClock();
  const state = { taken: "", ended: false };
  const over = Promise.withResolvers<void>();
  const untilOver = async function* (texts: readonly string[]) {
    for (const text of texts) yield Buffer.from(text);
    await over.promise;
  };
  const processes: StreamedProcesses = {
    async start(_, __, { stdin }) {
      void (async () => {
        for await (const part of stdin ?? []) state.taken += Buffer.from(part).toString();
      })();
      return {
        stdout: untilOver(prints),
        stderr: untilOver([]),
        ended: over.promise.then(() => ({ code: null, signal: "SIGTERM" })),
        kill: () => {
          state.ended = true;
          over.resolve();
        },
      };
    },
  };
  const kopia: EngineProgram = { program: "kopia", processes, clock, env: {}, standstillMs: STANDSTILL };
  return { kopia, clock, state };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test("kopia may wait for its input, and not for the storage once it has all of it", async () => {
  const { kopia, clock, state } = hangingKopia();
  const { promise: wanted, resolve: give } = Promise.withResolvers<void>();
  const stdin = (async function* () {
    await wanted;
    yield Buffer.from("a record");
  })();
  const failed = expect(runKopia(kopia, [], { ...OPTIONS, stdin })).rejects.toMatchObject(STOOD_STILL);
  await turn();
  await clock.advance(10 * STANDSTILL);
  expect(state).toEqual({ taken: "", ended: false });
  give();
  await turn();
  await clock.advance(STANDSTILL - 1);
  expect(state).toEqual({ taken: "a record", ended: false });
  await clock.advance(1);
  expect(state.ended).toBe(true);
  await failed;
});

test("kopia may wait for its reader, and not for the storage", async () => {
  const { kopia, clock, state } = hangingKopia("a");
  const parts = streamKopia(kopia, [], OPTIONS)[Symbol.asyncIterator]();
  expect(await parts.next()).toMatchObject({ done: false });
  await clock.advance(10 * STANDSTILL);
  expect(state.ended).toBe(false);
  const failed = expect(parts.next()).rejects.toMatchObject(STOOD_STILL);
  await turn();
  await clock.advance(STANDSTILL);
  await failed;
});

test("what is too much to keep is a failure, and not cut", async () => {
  const megabyte = " ".repeat(2 ** 20);
  const processes = printingProcesses(() => Array(65).fill(megabyte));
  const kopia: EngineProgram = { program: "kopia", processes, clock: new VirtualClock(), env: {} };
  await expect(runKopia(kopia, [], { what: "listing" })).rejects.toMatchObject({ class: "EngineFailed" });
});
