import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { VOLSYNC_HOST, VOLSYNC_PATH } from "../../wire/volsync.ts";
import type { FidelityProgram } from "../fidelity/fidelity_program.ts";
import { all } from "../testing/ground.ts";
import { printingProcesses } from "../testing/printing_processes.ts";
import { ResticEngine } from "./engine.ts";
import { unownable } from "./restore_owners.ts";

const ID = "5".repeat(64);
const CONFIG = `{\n  "version": 2,\n  "id": "${ID}"\n}`;
const SNAPSHOT = {
  id: ID,
  hostname: VOLSYNC_HOST,
  paths: [VOLSYNC_PATH],
  time: "2026-01-02T03:04:05Z",
  tree: ID,
};
const NODE = { name: "a", type: "file", path: "/a", uid: 7, gid: 8 };

/** A restic that says more than is known of it. */
const processes = printingProcesses((args) => {
  const said = args.includes("config")
    ? CONFIG
    : args.includes("snapshots")
      ? JSON.stringify([SNAPSHOT])
      : args.includes("tree")
        ? JSON.stringify({ nodes: [NODE] })
        : JSON.stringify(NODE);
  return [`the "weather" is fine\n{what is this}\n`, `${said}\n`, "{more}\nthat was all\n"];
});
const programs = { program: "restic", processes, clock: new VirtualClock() };

test("lines that nobody knows are passed over wherever restic is read", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hf-lines-"));
  try {
    const engine = new ResticEngine({ ...programs, folder, sftpProgram: "", fidelityProgram: "" });
    const location = { backend: { filesystem: { path: "/r" } }, credentials: {}, password: "p" };
    const repository = await engine.open(location);
    expect(repository.id).toBe(ID);
    expect(await all(repository.list())).toMatchObject([{ id: ID }]);
    expect(await all(repository.browse(ID, ""))).toMatchObject([{ name: "a" }]);
    expect((await all(repository.read(ID, "a"))).length).toBeGreaterThan(0);
    await repository.close();
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("the same where owners are looked for", async () => {
  const fidelity: Pick<FidelityProgram, "probe"> = {
    probe: async (_, { owners }) => ({ owners, attributes: [] }),
  };
  const restic = { ...programs, args: [], env: {} };
  const wanted = { snapshot: ID, target: "/out", folder: "/", node: undefined };
  expect(await unownable({ restic, fidelity }, wanted, { what: "restoring" })).toMatchObject({
    owners: [{ uid: 7, gid: 8 }],
    examples: ["/a"],
  });
});
