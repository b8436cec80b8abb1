import { mkdtemp, rename, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { parseSurvey } from "../fidelity/survey.ts";
import { Identification } from "../identification.ts";
import { backup } from "./backup.ts";
import type { RepositoryContext } from "./repository_context.ts";

const SUMMARY = { message_type: "summary", snapshot_id: "0123456789abcdef" };
const UNREADABLE = { message_type: "error", error: { message: "permission denied" }, item: "/s/a" };
const LOCKED = 11;

let folder: string;
let source: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "backup-"));
  source = await mkdtemp(join(folder, "source-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A repository that another has locked by the time that its backup has said this; it may list snapshots. */
function lockedAfter(
  said: readonly object[],
  meanwhile: () => Promise<unknown> = async () => {},
  listed?: readonly object[],
) {
  const commands: string[] = [];
  const start = async (_: string, args: readonly string[]) => {
    const [command = ""] = args;
    commands.push(command);
    const taking = command === "backup";
    if (taking) await meanwhile();
    const listing = listed !== undefined && command === "snapshots";
    return {
      stdout: (async function* () {
        for (const line of taking ? said : listing ? [listed] : [])
          yield Buffer.from(`${JSON.stringify(line)}\n`);
      })(),
      stderr: (async function* () {
        if (!taking && !listing) yield Buffer.from("repository is already locked by PID 7 on there\n");
      })(),
      ended: Promise.resolve({ code: taking || listing ? 0 : LOCKED, signal: null }),
      kill: () => {},
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
    ...{ restic, early: restic, folder, readOnly: false, identification: Identification.of("1") },
    fidelity: { remains },
  } as unknown as RepositoryContext;
  return { commands, context };
}

test.each([
  ["marked as incomplete", "tag", [UNREADABLE, SUMMARY], async () => {}],
  ["removed", "forget", [SUMMARY], () => rename(source, `${source}-gone`)],
])("a snapshot that cannot be %s for a lock is not taken anew", async (done, last, said, meanwhile) => {
  const { commands, context } = lockedAfter(said, meanwhile);
  const identity = { username: "u", hostname: "h", path: source };
  await expect(backup(context, { source, identity, run: "r" })).rejects.toMatchObject({
    class: "EngineFailed",
    message: expect.stringMatching(
      new RegExp(
        `^snapshot 0123456789abcdef was taken, and could not be ${done}: .* locked by PID 7 on there`,
      ),
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

test.each([
  ["of a backup that found nothing new", [{ message_type: "summary", files_new: 0 }], undefined],
  ["of a dry run", [{ message_type: "summary", files_new: 0, dry_run: true }], "only tried it"],
  ["of a dry run that names a snapshot", [{ ...SUMMARY, dry_run: true }], "only tried it"],
  ["that are missing", [], "named no snapshot"],
])("last words %s say whether nothing has changed", async (_, said, otherwise) => {
  const { context } = lockedAfter(said, undefined, [earlier()]);
  const identity = { username: "u", hostname: "h", path: source };
  const taken = backup(context, { source, identity, run: "r", skipIdentical: true });
  if (otherwise) await expect(taken).rejects.toMatchObject({ message: expect.stringContaining(otherwise) });
  else expect(await taken).toMatchObject({ unchanged: true, snapshot: { id: earlier().id } });
});

const UNCHANGED = { message_type: "summary", files_new: 0 };

test("files that may not be left out fail a backup that finds them left out before", async () => {
  const { context } = lockedAfter([UNREADABLE, UNCHANGED], undefined, [earlier("holdfast-left-out=1")]);
  const identity = { username: "u", hostname: "h", path: source };
  const options = { source, identity, run: "r", skipIdentical: true };
  await expect(backup(context, options)).rejects.toMatchObject({ class: "SourceUnreadable" });
  expect(await backup(context, { ...options, unreadable: "Skip" })).toMatchObject({
    unchanged: true,
    snapshot: { failedFiles: 1 },
  });
});

test("what a failed backup left stands for no other", async () => {
  const { context } = lockedAfter([UNREADABLE, UNCHANGED], undefined, [earlier("holdfast-incomplete=1")]);
  const identity = { username: "u", hostname: "h", path: source };
  const options = { source, identity, run: "r", skipIdentical: true, unreadable: "Skip" } as const;
  // Then restic is not told that it may make none.
  await expect(backup(context, options)).rejects.toMatchObject({
    message: expect.stringContaining("named no snapshot"),
  });
});
