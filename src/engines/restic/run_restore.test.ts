import { describe, expect, test } from "vitest";
import type { ProcessEnd } from "../../lib/streamed_process.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import type { RestoreOptions } from "../engine.ts";
import { failureOf } from "../testing/ground.ts";
import type { RepositoryContext } from "./repository_context.ts";
import { runRestore } from "./run_restore.ts";

const STATUS = { message_type: "status", total_bytes: 100, bytes_restored: 40, total_files: 2 };
const LOST = {
  message_type: "error",
  error: { message: "lsetxattr user.color /out/a: operation not supported" },
  during: "restore",
  item: "/a",
};
const SUMMARY = { message_type: "summary", files_restored: 2, bytes_restored: 100 };

/** A restic that says these lines; then it ends like this, or hangs until it is told to end. `words`: its errors. */
function restic(said: readonly object[], end?: ProcessEnd, words = "") {
  const clock = new VirtualClock();
  const ended = Promise.withResolvers<ProcessEnd>();
  if (end) ended.resolve(end);
  const process = {
    stdout: (async function* () {
      for (const line of said) yield Buffer.from(`${JSON.stringify(line)}\n`);
      await ended.promise;
    })(),
    stderr: (async function* () {
      yield Buffer.from(words);
    })(),
    ended: ended.promise,
    kill: () => ended.resolve({ code: 130, signal: null }),
  };
  const given: string[] = [];
  const program = {
    ...{ program: "restic", args: [], env: {}, clock, standstillMs: 5000 },
    processes: {
      start: async (_: string, args: readonly string[]) => {
        given.push(...args);
        return process;
      },
    },
  };
  const restoring = (options: Partial<RestoreOptions> = {}) => {
    // What a restore itself needs of an open repository.
    const context = { restic: program, readOnly: true } as unknown as RepositoryContext;
    const place = { snapshot: "1", folder: "/", node: undefined };
    return runRestore(context, { snapshot: "1", target: "/out", ...options }, place);
  };
  return { clock, restoring, given };
}

const FAILED = { code: 1, signal: null };

describe("a restore that lost attributes", () => {
  test("counts them when it was told to do its best", async () => {
    const { restoring } = restic([STATUS, LOST, SUMMARY], FAILED);
    expect(await restoring({ ownership: "BestEffort" })).toMatchObject({
      files: 2,
      bytes: 100,
      losses: [{ kind: "ExtendedAttribute", count: 1 }],
    });
  });

  test("has failed when it was to be exact", async () => {
    const { restoring } = restic([STATUS, LOST, SUMMARY], FAILED);
    expect(await failureOf(restoring())).toMatchObject({ class: "PrivilegesNeeded" });
  });

  test.each(["BestEffort", "Skip", "Exact"] as const)("and was killed has failed: %s", async (ownership) => {
    const { restoring } = restic([STATUS, LOST], { code: null, signal: "SIGKILL" });
    const { class: errorClass } = await failureOf(restoring({ ownership }));
    expect(errorClass).not.toBe("PrivilegesNeeded");
  });

  test.each(["BestEffort", "Skip", "Exact"] as const)(
    "and then stood still has failed: %s",
    async (ownership) => {
      const { clock, restoring } = restic([STATUS, LOST]);
      const failing = failureOf(restoring({ ownership }));
      for (let i = 0; i < 100; i++) await Promise.resolve();
      await clock.advance(5000);
      expect(await failing).toMatchObject({ class: "Unreachable" });
    },
  );
});

test.each([
  ["TargetFull", "/docs/a", "write /out/docs/a: no space left on device"],
  ["TargetNotWritable", "/docs/a", "open /out/docs/a: permission denied"],
  ["Corrupt", "/permission denied", "open /out/permission denied: ciphertext verification failed"],
])("a restore's failure on a file is %s by its reason, not by the file's name", async (wanted, item, why) => {
  const said = { message_type: "error", error: { message: why }, during: "restore", item };
  const words = wanted === "Corrupt" ? JSON.stringify(said) : "";
  const { restoring } = restic([STATUS, said], FAILED, words);
  expect(await failureOf(restoring())).toMatchObject({
    class: wanted,
    detail: expect.stringContaining(`${item}: ${why}`),
  });
});

test("a restore leaves the labels of the machine as they are", async () => {
  const { restoring, given } = restic([SUMMARY], { code: 0, signal: null });
  await restoring();
  const left = given.filter((_, at) => given[at - 1] === "--exclude-xattr");
  expect(left).toEqual(["security.selinux", "security.ima", "security.evm"]);
});

test("a restore that compares a file that is there is not taken for one that stands still", async () => {
  const { clock, restoring } = restic([{ ...STATUS, bytes_restored: 0 }]);
  let failed = false;
  const failing = failureOf(restoring({ existing: "Overwrite" })).then((failure) => {
    failed = true;
    return failure;
  });
  for (let i = 0; i < 100; i++) await Promise.resolve();
  await clock.advance(400_000);
  expect(failed).toBe(false);
  await clock.advance(80_000);
  expect(await failing).toMatchObject({ class: "Unreachable" });
});
