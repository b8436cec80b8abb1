import { chown, mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { restic } from "../../../test/engines/restic_engine.ts";
import { type StreamedProcesses, systemStreamedProcesses } from "../../lib/streamed_process.ts";
import type { Repository } from "../engine.ts";
import { Ground, listed, snapshotOf } from "../testing/ground.ts";

/** Real programs, of which the helper does not say what all remains are before restic's backup was started. */
function heldBack() {
  const backups: Promise<unknown>[] = [];
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>();
  const start: StreamedProcesses["start"] = async (program, args, options) => {
    const process = await systemStreamedProcesses.start(program, args, options);
    if (args.includes("backup")) {
      backups.push(process.ended);
      begin();
    }
    if (args[0] !== "remains") return process;
    const stderr = (async function* () {
      yield* process.stderr;
      await begun;
    })();
    return { ...process, stderr };
  };
  return { backups, processes: { start } };
}

/** A repository that is opened for a backup, before it is known whether it is the right one. */
async function opened(ground: Ground): Promise<Repository> {
  const expectedId = await (await ground.repository()).id();
  return ground.keep(await ground.engine.open(ground.location(), { expectedId, ahead: "snapshot" }));
}

async function sourceIn(ground: Ground): Promise<string> {
  const source = await ground.tree("data", []);
  await mkdir(join(source, "folder"));
  await writeFile(join(source, "folder/file"), "content");
  return source;
}

describe("restic is started while the source is still being read", { timeout: 60_000 }, () => {
  test("once, where its folders are like its root", async () => {
    const { backups, processes } = heldBack();
    await using ground = await Ground.make(restic, { processes });
    const source = await sourceIn(ground);
    const { snapshot } = await (await opened(ground)).snapshot(snapshotOf(source));
    expect(snapshot).toMatchObject({ files: 1, owners: [{ uid: 0, gid: 0 }], fidelity: "Full" });
    expect(backups).toHaveLength(1);
  });

  test("and anew, where there is more to say of what they hold", async () => {
    const { backups, processes } = heldBack();
    await using ground = await Ground.make(restic, { processes });
    const source = await sourceIn(ground);
    await chown(join(source, "folder/file"), 1000, 2000);
    const repository = await opened(ground);
    const progress: number[] = [];
    const onProgress = ({ estimatedFiles = 0 }) => void progress.push(estimatedFiles);
    const { snapshot } = await repository.snapshot({ ...snapshotOf(source), onProgress });
    expect(backups).toHaveLength(2);
    const owners = [
      { uid: 0, gid: 0 },
      { uid: 1000, gid: 2000 },
    ];
    expect(snapshot).toMatchObject({ files: 1, owners });
    expect(progress.at(-1)).toBe(1);
    // The first one has left nothing.
    expect(await listed(repository)).toMatchObject([{ id: snapshot.id, owners }]);
    expect(await readdir(ground.path("repository", "locks"))).toEqual([]);
  });
});
