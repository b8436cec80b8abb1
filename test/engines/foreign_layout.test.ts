import { expect, test } from "vitest";
import { all, Ground } from "../../src/engines/testing/ground.ts";
import { describeTree, treeDifferences } from "../../src/engines/testing/tree.ts";
import { systemProcesses } from "../../src/lib/processes.ts";
import { pinnedProgram } from "../../tools/cluster/programs.ts";
import { restic } from "./restic_engine.ts";

/* Snapshots that somebody made with restic itself, of a folder `data` that has a folder of its own name in it. */

const FILES = [
  { path: "data/inner.txt", file: { text: "inside" } },
  { path: "outer.txt", file: { text: "beside" } },
] as const;

test.each<[way: string, cwd: string, named: string]>([
  ["from within the folder", "home/data", "."],
  ["from beside the folder", "home", "data"],
  ["by the folder's whole path", "/", ""],
])("what was backed up %s comes back whole", async (_, cwd, named) => {
  await using ground = await Ground.make(restic);
  const source = await ground.tree("home/data", FILES);
  const repository = await ground.repository();
  const env = { RESTIC_REPOSITORY: ground.path("repository"), RESTIC_PASSWORD: ground.password };
  const { code, stderr } = await systemProcesses.run(
    pinnedProgram("restic"),
    ["--no-cache", "backup", "--host=desk", named || source],
    { env: { ...env, HOME: ground.folder }, cwd: cwd === "/" ? cwd : ground.path(cwd) },
  );
  expect(code, stderr).toBe(0);
  const [snapshot] = await all(repository.list({}));
  const target = ground.path("out");
  await repository.restore({ snapshot: snapshot?.id ?? "", target, ownership: "Exact" });
  // Of the folder itself restic keeps nothing where it was backed up from within.
  const within = async (folder: string) => (await describeTree(folder)).filter(({ path }) => path !== "");
  expect(treeDifferences(await within(source), await within(target))).toEqual([]);
});
