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

/** A repository that another has locked by the time that its backup has said this. */
function lockedAfter(said: readonly object[], meanwhile: () => Promise<unknown>) {
  const commands: string[] = [];
  const start = async (_: string, args: readonly string[]) => {
    const [command = ""] = args;
    commands.push(command);
    const taking = command === "backup";
    if (taking) await meanwhile();
    return {
      stdout: (async function* () {
        for (const line of taking ? said : []) yield Buffer.from(`${JSON.stringify(line)}\n`);
      })(),
      stderr: (async function* () {
        if (!taking) yield Buffer.from("repository is already locked by PID 7 on there\n");
      })(),
      ended: Promise.resolve({ code: taking ? 0 : LOCKED, signal: null }),
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
