import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { StreamedProcesses } from "../../lib/streamed_process.ts";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { VOLSYNC_HOST, VOLSYNC_PATH } from "../../wire/volsync.ts";
import { failureOf } from "../testing/ground.ts";
import { ResticEngine } from "./engine.ts";

const ID = "5".repeat(64);
const SNAPSHOT = {
  id: ID,
  hostname: VOLSYNC_HOST,
  paths: [VOLSYNC_PATH],
  time: "2026-01-02T03:04:05Z",
  tree: ID,
};

interface End {
  readonly words?: string;
  readonly code?: number | null;
  readonly signal?: string | null;
}

/** A restic that finds its repository and snapshot, and ends so when it looks whether they are whole. */
function ending({ words = "", code = 1, signal = null }: End): StreamedProcesses {
  return {
    async start(_, args) {
      const looks = args.includes("check") || args.includes("dump");
      const said = args.includes("config") ? { id: ID } : args.includes("snapshots") ? [SNAPSHOT] : {};
      return {
        stdout: (async function* () {
          if (!looks) yield Buffer.from(`${JSON.stringify(said)}\n`);
        })(),
        stderr: (async function* () {
          if (looks && words !== "") yield Buffer.from(`${words}\n`);
        })(),
        ended: Promise.resolve(looks ? { code, signal } : { code: 0, signal: null }),
        kill: () => {},
      };
    },
  };
}

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "hf-check-"));
});
afterEach(() => rm(folder, { recursive: true }));

async function opened(end: End) {
  const programs = { program: "restic", sftpProgram: "", fidelityProgram: "", processes: ending(end) };
  const engine = new ResticEngine({ ...programs, clock: new VirtualClock(), folder });
  return engine.open({ backend: { filesystem: { path: "/r" } }, credentials: {}, password: "p" });
}

const PACK = JSON.stringify({ message_type: "error", message: "pack 1: something is odd" });
const DAMAGED = "ciphertext verification failed";
const AWAY = "Load(<data/1>) failed: read tcp 10.0.0.1:443: connection reset by peer";
const LOST = JSON.stringify({ message_type: "error", message: `pack 2: ${AWAY}` });
const CUT = JSON.stringify({ message_type: "error", message: "pack 3: unexpected EOF" });
const FOUND = "Fatal: repository contains errors";
/** Said of a request that was repeated, here with success. */
const REPEATED = [
  "Load(<data/1>, 0, 0) returned error, retrying after 1.2s: read tcp 10.0.0.1:443: connection reset by peer",
  "Load(<data/1>, 0, 0) operation successful after 1 retries",
].join("\n");

describe("a look at what is stored", () => {
  test.each<[string, End]>([
    ["in words that nobody knows", { words: "gremlins" }],
    ["without a word", { code: 2 }],
    ["by a signal", { code: null, signal: "SIGTERM" }],
  ])("that fails %s says nothing of damage", async (_, end) => {
    const repository = await opened(end);
    expect(await failureOf(repository.check())).toMatchObject({ class: "EngineFailed" });
    expect(await failureOf(repository.verify({ snapshot: ID }))).toMatchObject({ class: "EngineFailed" });
  });

  test("that finds damage names it", async () => {
    const repository = await opened({ words: DAMAGED });
    expect(await repository.check()).toEqual({ problems: [DAMAGED] });
    expect(await repository.verify({ snapshot: ID })).toEqual({ problems: [DAMAGED] });
  });

  test("that had to repeat a request finds damage all the same", async () => {
    const repository = await opened({ words: `${REPEATED}\n${PACK}\n${FOUND}` });
    expect(await repository.check()).toEqual({ problems: ["pack 1: something is odd"] });
    const reader = await opened({ words: `${REPEATED}\n${DAMAGED}` });
    expect(await reader.verify({ snapshot: ID })).toMatchObject({
      problems: [expect.stringContaining(DAMAGED)],
    });
  });

  test("to which the storage did not answer names the damage that it found, and nothing else", async () => {
    const repository = await opened({ words: `${LOST}\n${PACK}\n${FOUND}` });
    expect(await repository.check()).toEqual({ problems: ["pack 1: something is odd"] });
    const away = await opened({ words: `${LOST}\n${CUT}\n${FOUND}` });
    expect(await failureOf(away.check())).toMatchObject({ class: "Unreachable" });
  });

  test("that named damage before it failed has found it", async () => {
    const repository = await opened({ words: PACK, code: null, signal: "SIGTERM" });
    expect(await repository.check()).toEqual({ problems: ["pack 1: something is odd"] });
  });
});
