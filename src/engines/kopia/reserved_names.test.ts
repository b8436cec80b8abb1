import { execFileSync } from "node:child_process";
import { mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kopia } from "../../../test/engines/kopia_engine.ts";
import type { Repository } from "../engine.ts";
import { asNobody, NOBODY } from "../testing/as_user.ts";
import { all, failureOf, Ground, snapshotOf } from "../testing/ground.ts";
import { describeTree, type TreeEntry, treeDifferences } from "../testing/tree.ts";

const file = (path: string, text = path): TreeEntry => ({ path, file: { text } });
const asRoot = test.skipIf(process.getuid?.() !== 0);

describe("names that end as kopia's placeholders do", { timeout: 60_000 }, () => {
  let ground: Ground;
  let repository: Repository;

  beforeAll(async () => {
    ground = await Ground.make(kopia);
    repository = await ground.repository();
  });
  afterAll(() => ground[Symbol.asyncDispose]());

  const pathsIn = async (folder: string) =>
    (await describeTree(folder)).map(({ path }) => path).filter((path) => path !== "");

  test("come back, whatever a pattern says of the names that kopia sees instead", async () => {
    const source = await ground.tree("patterns", [
      file("kept/a.kopia-entry"),
      file("kept/a"),
      file("kept/b.kopia-entry/in"),
      file("left.kopia-entry"),
      file("other"),
    ]);
    const paths = ["/*", "!/kept", "!/kept/**"];
    const { snapshot, losses } = await repository.snapshot(snapshotOf(source, { ignore: { paths } }));
    expect(losses).toEqual([]);
    await repository.restore({ snapshot: snapshot.id, target: ground.path("out-patterns") });
    const kept = (await describeTree(source)).filter(({ path }) => path === "" || path.startsWith("kept"));
    expect(treeDifferences(kept, await describeTree(ground.path("out-patterns")))).toEqual([]);
  });

  test("do not keep kopia from seeing others once they are gone", async () => {
    const source = await ground.tree("gone", [file("a"), file("a.kopia-entry"), file("b")]);
    const namesIn = async () => {
      const { snapshot } = await repository.snapshot(snapshotOf(source));
      return (await all(repository.browse(snapshot.id, ""))).map(({ name }) => name);
    };
    expect(await namesIn()).toEqual(["b"]);
    await rm(`${source}/a.kopia-entry`);
    expect(await namesIn()).toEqual(["a", "b"]);
  });

  test("are counted with fidelity Engine, with what kopia would take them for", async () => {
    const names = ["a.kopia-entry/in", "b.kopia-entry", "b", "c"];
    const source = await ground.tree(
      "bare",
      names.map((name) => file(name)),
    );
    const { snapshot, losses } = await repository.snapshot(snapshotOf(source, { fidelity: "Engine" }));
    const content = losses.find(({ kind }) => kind === "Content");
    expect(content).toMatchObject({ count: 4, reason: expect.stringContaining("fidelity is Engine") });
    const target = ground.path("out-engine");
    const restored = await repository.restore({ snapshot: snapshot.id, target });
    expect(restored.losses.find(({ kind }) => kind === "Content")).toMatchObject({ count: 4 });
    expect(await pathsIn(target)).toEqual(["c"]);
  });

  test("come back over what is there, and take the place of what is no folder where they are one", async () => {
    const source = await ground.tree("occupied", [file("a.kopia-entry/in"), file("b.kopia-entry/in")]);
    const { snapshot } = await repository.snapshot(snapshotOf(source));
    const target = ground.path("out-occupied");
    await mkdir(`${target}/b.kopia-entry`, { recursive: true });
    await writeFile(`${target}/b.kopia-entry/theirs`, "theirs");
    await symlink("b.kopia-entry", `${target}/a.kopia-entry`);
    await repository.restore({ snapshot: snapshot.id, target, existing: "Overwrite" });
    expect(await pathsIn(target)).toEqual([
      "a.kopia-entry",
      "a.kopia-entry/in",
      "b.kopia-entry",
      "b.kopia-entry/in",
      "b.kopia-entry/theirs",
    ]);
  });

  test("come back from the root, or fail the backup there as a file whose name is nothing else", async () => {
    const source = await ground.tree("root", [file(".kopia-entry/in"), file("a")]);
    const { snapshot, losses } = await repository.snapshot(snapshotOf(source));
    expect(losses).toEqual([]);
    const target = ground.path("out-root");
    await repository.restore({ snapshot: snapshot.id, target });
    expect(treeDifferences(await describeTree(source), await describeTree(target))).toEqual([]);
    const bare = await ground.tree("root-file", [file(".kopia-entry"), file("a")]);
    expect(await failureOf(repository.snapshot(snapshotOf(bare)))).toMatchObject({
      class: "SourceUnreadable",
      message: expect.stringContaining(".kopia-entry"),
    });
  });

  test("are refused when there are too many", async () => {
    const many = Array.from({ length: 300 }, (_, i) => file(`${i}.kopia-entry`));
    const source = await ground.tree("many", many);
    expect(await failureOf(repository.snapshot(snapshotOf(source)))).toMatchObject({
      class: "Unsupported",
      message: expect.stringContaining("more than 256 names end with .kopia-entry, such as 0.kopia-entry"),
      remedy: expect.stringContaining("policy.ignore.paths"),
    });
  });

  asRoot("fail the backup when they cannot be read, unless that is allowed", async () => {
    const source = await ground.tree("closed", [
      { ...file("closed.kopia-entry"), mode: 0o600 },
      file("shut.kopia-entry/in"),
      { path: "shut.kopia-entry", folder: {}, mode: 0o700 },
      file("open"),
    ]);
    const take = (unreadable: "Fail" | "Skip") => {
      execFileSync("chown", ["-R", `${NOBODY}:${NOBODY}`, ground.path("repository")]);
      return asNobody(ground, ground.location(), { snapshot: snapshotOf(source, { unreadable }) });
    };
    expect(await take("Fail")).toMatchObject({
      failure: {
        class: "SourceUnreadable",
        message: expect.stringContaining("closed.kopia-entry could not be read and 1 more"),
      },
    });
    expect(await take("Skip")).toMatchObject({
      result: {
        losses: [{ kind: "Content", count: 2 }],
        unreadable: ["closed.kopia-entry", "shut.kopia-entry"],
      },
    });
  });
});
