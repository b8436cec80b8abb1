import { execFileSync } from "node:child_process";
import { copyFileSync, mkdirSync } from "node:fs";
import { expect, test } from "vitest";
import { Ground, snapshotOf } from "../../src/engines/testing/ground.ts";
import { describeTree, type TreeEntry, treeDifferences } from "../../src/engines/testing/tree.ts";
import { kopia } from "./kopia_engine.ts";
import { restic } from "./restic_engine.ts";

const TREE: readonly TreeEntry[] = [
  { path: "a", file: { text: "content" }, mode: 0o600, uid: 1000, gid: 1000, xattrs: { "user.x": "1" } },
  { path: "sub/b", file: { random: { bytes: 3_000_000, seed: 9 } } },
  { path: "sub/c", hardLink: "a" },
  { path: "sub/d", symlink: "b" },
];

/** A disk in a file, and what would be on it had the power gone just now. */
class Disk implements Disposable {
  readonly folder: string;
  readonly #ground: Ground;
  readonly #mounted: string[] = [];

  constructor(ground: Ground) {
    this.#ground = ground;
    execFileSync("truncate", ["--size", "64M", ground.path("disk")]);
    execFileSync("mkfs.ext4", ["-q", ground.path("disk")]);
    // By itself it writes nothing down for longer than a test takes.
    this.folder = this.#mount("disk", "loop,commit=600");
  }

  afterPowerCut(): string {
    copyFileSync(this.#ground.path("disk"), this.#ground.path("cut"));
    return this.#mount("cut", "loop");
  }

  #mount(name: string, options: string): string {
    const folder = this.#ground.path(`${name}.mounted`);
    mkdirSync(folder);
    execFileSync("mount", ["-o", options, this.#ground.path(name), folder]);
    this.#mounted.push(folder);
    return folder;
  }

  [Symbol.dispose](): void {
    for (const folder of this.#mounted) execFileSync("umount", [folder]);
  }
}

test.skipIf(process.getuid?.() !== 0).each([kopia, restic])(
  "what $name has restored is on the disk when it says so, and nothing says that it is unfinished",
  async (engine) => {
    await using ground = await Ground.make(engine);
    const source = await ground.tree("source", TREE);
    const repository = await ground.repository();
    const { snapshot } = await repository.snapshot(snapshotOf(source));
    using disk = new Disk(ground);
    await repository.restore({ snapshot: snapshot.id, target: disk.folder, own: "restore-1" });
    const found = await describeTree(disk.afterPowerCut());
    const wanted = await describeTree(source);
    const inVolume = found.filter(({ path }) => path !== "lost+found");
    expect(treeDifferences(wanted, inVolume)).toEqual([]);
  },
);
