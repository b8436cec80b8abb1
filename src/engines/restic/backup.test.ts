import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { ProcessEnd } from "../../lib/streamed_process.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import type { Progress } from "../../wire/progress.ts";
import type { SnapshotOptions } from "../engine.ts";
import { parseSurvey } from "../fidelity/survey.ts";
import { failureOf } from "../testing/ground.ts";
import { backup } from "./backup.ts";
import type { RepositoryContext } from "./repository_context.ts";

const ID = "0123456789abcdef";
const SUMMARY = {
  message_type: "summary",
  snapshot_id: ID,
  backup_start: "2026-05-25T02:00:00Z",
  backup_end: "2026-05-25T02:00:01Z",
};
const failed = (item: string, message: string) => ({ message_type: "error", error: { message }, item });
const UNREADABLE = failed("/s/a", "/s/a: open s/a: permission denied");
const VANISHED = failed("/s/b", "lstat /s/b: no such file or directory");
const RUN = "holdfast-run=r";
const LOCKED = 11;
const INCOMPLETE = 3;
const INTERRUPTED = 130;

let folder: string;
let source: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "backup-"));
  source = await mkdtemp(join(folder, "source-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

interface Listed {
  readonly tags?: readonly string[];
}

interface Played {
  /** What restic says while it backs up. */
  readonly said: readonly object[];
  /** How it ends by itself. Default 0. */
  readonly code?: number;
  /** What happens before it says anything. */
  readonly meanwhile?: () => unknown;
  /** It is told to end before it can, and does so. Default: by itself. */
  readonly hangs?: boolean;
  /** The snapshots that are there afterwards. Default: none. */
  readonly listed?: readonly Listed[];
  /** The commands for which the repository is locked, by another. Default: none. */
  readonly locked?: readonly string[];
}

/** A repository, and a restic that plays its part in a backup. */
function played({ said, code = 0, meanwhile, hangs = false, listed = [], locked = [] }: Played) {
  const commands: string[] = [];
  const start = async (_: string, args: readonly string[]) => {
    const [command = ""] = args;
    commands.push(command);
    const taking = command === "backup";
    const isLocked = locked.includes(command);
    const { promise: ended, resolve: end } = Promise.withResolvers<ProcessEnd>();
    if (!taking || !hangs) end({ code: isLocked ? LOCKED : taking ? code : 0, signal: null });
    const isMeant = ({ tags = [] }: Listed) => !args.some((arg) => /-run=/.test(arg)) || tags.includes(RUN);
    const told = { backup: said, snapshots: [listed.filter(isMeant)] }[command] ?? [];
    return {
      stdout: (async function* () {
        if (taking) await meanwhile?.();
        for (const line of told) yield Buffer.from(`${JSON.stringify(line)}\n`);
        await ended;
      })(),
      stderr: (async function* () {
        if (isLocked) yield Buffer.from("repository is already locked by PID 7 on there\n");
      })(),
      ended,
      kill: () => end({ code: INTERRUPTED, signal: null }),
    };
  };
  const remains = async () => ({
    record: (async function* () {})(),
    survey: Promise.resolve(parseSurvey({})),
    stop: () => {},
  });
  const restic = { program: "restic", args: [], env: {}, clock: new VirtualClock(), processes: { start } };
  // What a backup needs of an open repository that is known.
  const context = {
    ...{ restic, folder, readOnly: false, id: "1" },
    fidelity: { remains },
  } as unknown as RepositoryContext;
  return { commands, context };
}

/** What is asked for, by the run r. */
const wanted = (more: Partial<SnapshotOptions> = {}): SnapshotOptions => ({
  source,
  identity: { username: "u", hostname: "h", path: source },
  run: "r",
  ...more,
});

test.each<[string, string, Played, Partial<SnapshotOptions>?]>([
  [
    "marked as lacking files",
    "tag",
    { said: [UNREADABLE, SUMMARY], code: INCOMPLETE },
    { unreadable: "Skip" },
  ],
  ["removed", "forget", { said: [UNREADABLE, SUMMARY], code: INCOMPLETE }],
  ["removed", "forget", { said: [SUMMARY], meanwhile: () => rename(source, `${source}-gone`) }],
])("a snapshot that cannot be %s for a lock is not taken anew", async (done, last, part, more) => {
  const { commands, context } = played({ ...part, locked: [last] });
  await expect(backup(context, wanted(more))).rejects.toMatchObject({
    class: "EngineFailed",
    message: expect.stringMatching(
      new RegExp(`^snapshot ${ID} was taken, and could not be ${done}: .* locked by PID 7 on there`),
    ),
    cause: { class: "Locked" },
  });
  expect(commands).toEqual(["backup", last]);
});

/** A snapshot of the source, as it is listed. */
const earlier = (...tags: readonly string[]) => ({
  id: "fedcba9876543210",
  time: "2026-05-24T02:00:00Z",
  tree: "t1",
  hostname: "h",
  paths: [source],
  tags: ["holdfast-user=u", "holdfast-run=r0", ...tags],
});

/** The one that this run makes. */
const made = (...tags: readonly string[]) => ({
  ...earlier(...tags),
  id: ID,
  tags: ["holdfast-user=u", RUN, ...tags],
});

test.each([
  ["of a backup that found nothing new", [{ message_type: "summary", files_new: 0 }], undefined],
  ["of a dry run", [{ message_type: "summary", files_new: 0, dry_run: true }], "only tried it"],
  ["of a dry run that names a snapshot", [{ ...SUMMARY, dry_run: true }], "only tried it"],
  ["that are missing", [], "named no snapshot"],
])("last words %s say whether nothing has changed", async (_, said, otherwise) => {
  const { context } = played({ said, listed: [earlier()] });
  const taken = backup(context, wanted({ skipIdentical: true }));
  if (otherwise) await expect(taken).rejects.toMatchObject({ message: expect.stringContaining(otherwise) });
  else expect(await taken).toMatchObject({ unchanged: true, snapshot: { id: earlier().id } });
});

const UNCHANGED = { message_type: "summary", files_new: 0 };

test("files that may not be left out fail a backup that finds them left out before", async () => {
  const { context } = played({ said: [UNREADABLE, UNCHANGED], listed: [earlier("holdfast-left-out=1")] });
  await expect(backup(context, wanted({ skipIdentical: true }))).rejects.toMatchObject({
    class: "SourceUnreadable",
  });
  expect(await backup(context, wanted({ skipIdentical: true, unreadable: "Skip" }))).toMatchObject({
    unchanged: true,
    snapshot: { failedFiles: 1 },
  });
});

test("what a failed backup left stands for no other", async () => {
  const { context } = played({ said: [UNREADABLE, UNCHANGED], listed: [earlier("holdfast-incomplete=1")] });
  const options = wanted({ skipIdentical: true, unreadable: "Skip" });
  // Then restic is not told that it may make none.
  await expect(backup(context, options)).rejects.toMatchObject({
    message: expect.stringContaining("named no snapshot"),
  });
});

describe("a file that cannot be read, and may not be left out,", () => {
  const failure = {
    class: "SourceUnreadable",
    message: expect.stringMatching(/1 could not be read: \/s\/a$/),
  };

  test("ends restic there, before it takes a snapshot", async () => {
    const { commands, context } = played({ said: [UNREADABLE], hangs: true });
    await expect(backup(context, wanted())).rejects.toMatchObject(failure);
    expect(commands).toEqual(["backup", "snapshots"]);
  });

  test.each<[string, Played]>([
    ["restic was quicker", { said: [UNREADABLE, SUMMARY], code: INCOMPLETE }],
    ["the storage took it all the same", { said: [UNREADABLE], hangs: true, listed: [{}] }],
  ])("leaves none where %s", async (_, part) => {
    const listed = part.listed && [made()];
    const { commands, context } = played({ ...part, ...(listed ? { listed } : {}) });
    await expect(backup(context, wanted())).rejects.toMatchObject(failure);
    expect(commands.at(-1)).toBe("forget");
  });
});

describe("what restic says of a file", () => {
  const skipped = async (said: readonly object[], code = INCOMPLETE) => {
    const { commands, context } = played({
      said: [...said, SUMMARY],
      code,
      listed: [made("holdfast-left-out=1")],
    });
    const { snapshot, unreadable } = await backup(context, wanted({ unreadable: "Skip" }));
    return { failed: snapshot.failedFiles ?? 0, unreadable, marked: commands.includes("tag") };
  };

  test("that is gone by now is no loss", async () => {
    expect(await skipped([VANISHED])).toEqual({ failed: 0, unreadable: [], marked: false });
    for (const words of [
      "parts of /v/s/a not found in the repository index; storing the file again",
      "tree 1a2b could not be loaded; the repository could be damaged: not found",
      "failed to save /v/s/a: context canceled",
      "failed to save /v/s/a: Write: write /tmp/h/restic-temp-pack-2211998331: no space left on device",
    ])
      expect(await skipped([VANISHED, failed("/v/s/a", words)])).toEqual({
        failed: 0,
        unreadable: [],
        marked: false,
      });
  });

  test.each(["no such file or directory", "x: no such file or directory", "x: no such file or directory\ny"])(
    "counts by what happened, and not by what it is called: %j",
    async (name) => {
      const said = failed(`/v/s/${name}`, `/v/s/${name}: open s/${name}: permission denied`);
      expect(await skipped([said])).toEqual({ failed: 1, unreadable: [`/v/s/${name}`], marked: true });
    },
  );

  test("in words that nobody knows is a loss once it ends so", async () => {
    const said = [{ message_type: "trouble", path: "/s/a" }];
    expect(await skipped(said)).toEqual({ failed: 1, unreadable: [], marked: true });
    expect(await skipped(said, 0)).toEqual({ failed: 0, unreadable: [], marked: false });
    const { commands, context } = played({ said: [...said, SUMMARY], code: INCOMPLETE });
    await expect(backup(context, wanted())).rejects.toMatchObject({
      class: "SourceUnreadable",
      message: expect.stringContaining("restic did not say what"),
    });
    expect(commands).toEqual(["backup", "forget"]);
  });
});

describe("a backup that is told to end", () => {
  const stopped = async (part: Played, more: Partial<SnapshotOptions> = {}) => {
    const controller = new AbortController();
    const meanwhile = () => controller.abort();
    const { commands, context } = played({ ...part, meanwhile });
    const outcome = await backup(context, wanted({ ...more, signal: controller.signal })).then(
      ({ snapshot: { id, failedFiles = 0 } }) => ({ id, failedFiles }),
      (error) => error.class,
    );
    return { outcome, commands };
  };

  test.each<[string, Played]>([
    ["had ended", { said: [SUMMARY] }],
    ["had said its last words", { said: [SUMMARY], hangs: true }],
    ["had stored the snapshot", { said: [], hangs: true, listed: [{}] }],
  ])("is done where restic %s by then", async (_, part) => {
    const listed = part.listed && [made()];
    const { outcome } = await stopped({ ...part, ...(listed ? { listed } : {}) });
    expect(outcome).toEqual({ id: ID, failedFiles: 0 });
  });

  test("is cancelled where no snapshot is there", async () => {
    const { outcome, commands } = await stopped({ said: [], hangs: true });
    expect(outcome).toBe("Cancelled");
    expect(commands).toEqual(["backup", "snapshots"]);
  });

  test("is done where restic had found nothing new by then", async () => {
    const part = { said: [UNCHANGED], hangs: true, listed: [earlier()] };
    const { outcome } = await stopped(part, { skipIdentical: true });
    expect(outcome).toEqual({ id: earlier().id, failedFiles: 0 });
  });

  test.each([
    ["by name", UNREADABLE],
    ["and nobody says which", { message_type: "trouble" }],
  ])("leaves no snapshot that lacks files, %s", async (_, said) => {
    const { outcome, commands } = await stopped({ said: [said, SUMMARY], code: INCOMPLETE });
    expect(outcome).toBe("SourceUnreadable");
    expect(commands).toEqual(["backup", "forget"]);
  });

  test("notes what was left out", async () => {
    const part = { said: [UNREADABLE, SUMMARY], code: INCOMPLETE, listed: [made("holdfast-left-out=1")] };
    const { outcome, commands } = await stopped(part, { unreadable: "Skip" });
    expect(outcome).toEqual({ id: ID, failedFiles: 1 });
    expect(commands).toEqual(["backup", "tag", "snapshots"]);
  });

  test("does not wait for a storage that does not answer", async () => {
    const { context } = played({ said: [], hangs: true });
    const { start } = context.restic.processes;
    let asked = false;
    const processes = {
      start: async (...[program, args, options]: Parameters<typeof start>) => {
        const hanging = args[0] === "snapshots";
        asked ||= hanging;
        return start(program, hanging ? ["backup"] : args, options);
      },
    };
    const clock = new VirtualClock();
    const slow = { ...context, restic: { ...context.restic, processes, clock } };
    const controller = new AbortController();
    const failing = failureOf(backup(slow, wanted({ signal: controller.signal })));
    await clock.advance(0);
    controller.abort();
    while (!asked) await clock.advance(0);
    await clock.advance(20_000);
    expect(await failing).toMatchObject({ class: "Cancelled" });
  });
});

test("progress says nothing of what was read: restic tells only what is done", async () => {
  const status = { message_type: "status", files_done: 1, bytes_done: 7 };
  const done = { ...SUMMARY, total_files_processed: 2, total_bytes_processed: 9 };
  const { context } = played({ said: [status, done] });
  const seen: Progress[] = [];
  await backup(context, wanted({ onProgress: (progress) => void seen.push(progress) }));
  expect(seen).toMatchObject([
    { files: 1, bytes: 7 },
    { files: 2, bytes: 9 },
  ]);
  for (const progress of seen) expect(progress).not.toHaveProperty("hashedBytes");
});
