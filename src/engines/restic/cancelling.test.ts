import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { VirtualClock } from "../../lib/virtual_clock.ts";
import { VOLSYNC_HOST, VOLSYNC_PATH } from "../../wire/volsync.ts";
import type { Repository } from "../engine.ts";
import { all, failureOf } from "../testing/ground.ts";
import { printingProcesses } from "../testing/printing_processes.ts";
import { ResticEngine } from "./engine.ts";

const ID = "5".repeat(64);
const SAID = {
  config: { id: ID },
  snapshots: [
    { id: ID, hostname: VOLSYNC_HOST, paths: [VOLSYNC_PATH], time: "2026-01-02T03:04:05Z", tree: ID },
  ],
  tree: { nodes: [{ name: "a", type: "file" }] },
};

type Work = (repository: Repository, second: Repository, signal: AbortSignal) => Promise<unknown>;

test.each<[string, Work]>([
  ["snapshots", (one, _, signal) => all(one.list({}, { signal }))],
  ["forget", (one, _, signal) => one.delete([ID], { signal })],
  ["prune", (one, _, signal) => one.maintain({ mode: "Full", signal })],
  ["check", (one, _, signal) => one.check({ signal })],
  ["dump", (one, _, signal) => one.verify({ snapshot: ID, signal })],
  ["stats", (one, _, signal) => one.stats({ signal })],
  ["ls", (one, _, signal) => all(one.browse(ID, "", { signal }))],
  ["dump", (one, _, signal) => all(one.read(ID, "a", { signal }))],
  ["passwd", (one, _, signal) => one.changePassword("new", { signal })],
  ["copy", (one, second, signal) => one.copyTo(second, { signal })],
])("restic %s ends when it is cancelled, and says so", async (command, work) => {
  const folder = await mkdtemp(join(tmpdir(), "hf-cancelling-"));
  try {
    let hanging = false;
    const processes = printingProcesses(
      (args) => {
        const [, said] = Object.entries(SAID).find(([name]) => args.includes(name)) ?? [];
        return [`${JSON.stringify(said ?? {})}\n`];
      },
      (args) => {
        if (args.includes(command)) hanging = true;
        return args.includes(command);
      },
    );
    const programs = { program: "restic", sftpProgram: "", fidelityProgram: "", processes };
    const engine = new ResticEngine({ ...programs, clock: new VirtualClock(), folder });
    const location = { backend: { filesystem: { path: "/r" } }, credentials: {}, password: "p" };
    const [one, second] = [await engine.open(location), await engine.open(location)];
    const controller = new AbortController();
    const failing = failureOf(work(one, second, controller.signal));
    while (!hanging) await new Promise((resolve) => setImmediate(resolve));
    controller.abort();
    expect(await failing).toMatchObject({ class: "Cancelled" });
  } finally {
    await rm(folder, { recursive: true });
  }
});
