import { readdir } from "node:fs/promises";
import { expect, test } from "vitest";
import { kopia } from "../../../test/engines/kopia_engine.ts";
import { sleep, systemClock } from "../../lib/clock.ts";
import { type StreamedProcess, systemStreamedProcesses } from "../../lib/streamed_process.ts";
import { failureOf, Ground, listed, snapshotOf } from "../testing/ground.ts";
import { holdRun } from "./held_run.ts";
import type { KopiaRepository } from "./kopia_repository.ts";
import { snapshotCommand } from "./snapshot_command.ts";

/** Longer than kopia takes to open a repository, and to make a snapshot of nearly nothing. */
const LONG_MS = 3_000;

const isOfData = (args: readonly string[]) =>
  args.includes("create") && !args.some((arg) => arg.startsWith("--stdin-file"));

/** A repository with a snapshot. From then on all that is started is known, and looking at it takes `LONG_MS`; or this. */
async function world(long = "policy") {
  let slow = false;
  const started: { readonly args: readonly string[]; readonly process: StreamedProcess }[] = [];
  const ground = await Ground.make(kopia, {
    processes: {
      async start(command, args, options) {
        const process = await systemStreamedProcesses.start(command, args, options);
        started.push({ args, process });
        if (!slow || args[0] !== long) return process;
        return { ...process, ended: process.ended.finally(() => sleep(systemClock, LONG_MS)) };
      },
    },
  });
  const source = await ground.tree("src", [{ path: "a", file: { text: "content of a" } }]);
  const repository = (await ground.repository()) as KopiaRepository;
  const usual = () => snapshotOf(source, { fidelity: "Full", ignore: { paths: ["/lost+found"] } });
  await repository.snapshot(usual());
  started.length = 0;
  slow = true;
  return {
    ground,
    source,
    repository,
    usual,
    /** The run on the data. */
    data: () => started.find(({ args }) => isOfData(args))?.process,
    stored: async () => (await readdir(ground.path("repository"), { recursive: true })).toSorted(),
    [Symbol.asyncDispose]: () => ground[Symbol.asyncDispose](),
  };
}

test("the data are begun with only when the repository was looked at", { timeout: 60_000 }, async () => {
  await using on = await world();
  const opened = on.ground.keep(await on.ground.engine.open(on.ground.location(), { ahead: "snapshot" }));
  const before = await on.stored();
  const work = opened.snapshot(on.usual());
  await sleep(systemClock, LONG_MS - 500);
  expect(on.data()).toBeDefined();
  expect(await on.stored()).toEqual(before);
  await work;
  expect(await listed(on.repository)).toHaveLength(2);
});

test("nothing of them is stored in the wrong repository", { timeout: 60_000 }, async () => {
  await using on = await world();
  const before = await on.stored();
  const wrong = { ahead: "snapshot", expectedId: "another" } as const;
  const opened = on.ground.keep(await on.ground.engine.open(on.ground.location(), wrong));
  expect(await failureOf(opened.snapshot(on.usual()))).toMatchObject({ class: "RepositoryReplaced" });
  expect(await on.data()?.ended).toMatchObject({ code: null });
  expect(await on.stored()).toEqual(before);
});

test("a kopia that waits ends when whoever holds it is gone", { timeout: 60_000 }, async () => {
  await using on = await world();
  const before = await on.stored();
  const hold = await holdRun(on.repository, new Promise(() => {}), new AbortController().signal);
  const { program, env } = on.repository.connection.program;
  const args = snapshotCommand({ username: "u", hostname: "h", path: "/p" }, [on.source]);
  const running = await systemStreamedProcesses.start(program, args, { env, errors: hold.errors });
  let said = "";
  const listening = (async () => {
    for await (const part of running.stdout) said += Buffer.from(part).toString();
  })();
  await sleep(systemClock, LONG_MS);
  // As the kernel does for one that was killed.
  hold.end();
  await listening;
  expect(await running.ended).toEqual({ code: null, signal: "SIGPIPE" });
  expect(said).toBe("");
  expect(await on.stored()).toEqual(before);
});

test.each(["policy", "scan"])(
  "one that is cancelled while %s takes long is Cancelled",
  {
    timeout: 60_000,
  },
  async (command) => {
    await using on = await world(command);
    const before = await on.stored();
    const cancelling = new AbortController();
    const opened = on.ground.keep(await on.ground.engine.open(on.ground.location(), { ahead: "snapshot" }));
    const work = failureOf(opened.snapshot({ ...on.usual(), signal: cancelling.signal }));
    await sleep(systemClock, 1_500);
    cancelling.abort();
    expect(await work).toMatchObject({ class: "Cancelled" });
    expect(await on.stored()).toEqual(before);
  },
);

test.each([["--log-level=error"], ["--progress"]])(
  "with %s, which might keep it from waiting, it is not started before",
  { timeout: 60_000 },
  async (argument) => {
    await using on = await world();
    const opened = on.ground.keep(await on.ground.engine.open(on.ground.location(), { ahead: "snapshot" }));
    const work = opened.snapshot({ ...on.usual(), extraArgs: [argument] });
    await sleep(systemClock, LONG_MS - 500);
    expect(on.data()).toBeUndefined();
    await work;
    expect(await listed(on.repository)).toHaveLength(2);
  },
);
