import { execFileSync } from "node:child_process";
import { rename } from "node:fs/promises";
import { expect, test } from "vitest";
import { restic } from "../../../test/engines/restic_engine.ts";
import { systemStreamedProcesses } from "../../lib/streamed_process.ts";
import { failureOf, Ground, snapshotOf } from "../testing/ground.ts";

test("restic gets every setting of a snapshot that it has", { timeout: 120_000 }, async () => {
  const said: (readonly string[])[] = [];
  await using ground = await Ground.make(restic, {
    processes: {
      start(command, args, options) {
        if (args.includes("backup")) said.push(args);
        return systemStreamedProcesses.start(command, args, options);
      },
    },
  });
  const repository = await ground.repository();
  const source = await ground.tree("src", [{ path: "a", file: { text: "a" } }]);
  await repository.snapshot(
    snapshotOf(source, {
      compression: { compressor: "max" },
      oneFileSystem: true,
      parallel: 3,
      extraArgs: ["--pack-size=8"],
    }),
  );
  const words = said[0]?.join(" ") ?? "";
  for (const word of ["--compression max", "--one-file-system", "--read-concurrency 3", "--pack-size=8"])
    expect(words).toContain(word);
  const splitting = repository.snapshot(snapshotOf(source, { splitter: "FIXED-1M" }));
  expect(await failureOf(splitting)).toMatchObject({ class: "Unsupported" });
});

test("restic keeps to the limits of speed, in whole KiB and never without", {
  timeout: 120_000,
}, async () => {
  const said: string[] = [];
  await using ground = await Ground.make(restic, {
    processes: {
      start(command, args, options) {
        said.push(args.join(" "));
        return systemStreamedProcesses.start(command, args, options);
      },
    },
  });
  await ground.repository();
  expect(said.join(" ")).not.toContain("--limit-");
  said.length = 0;
  ground.keep(await ground.engine.open(ground.location(), { limits: { upload: 2_100_000, download: 10 } }));
  expect(said).not.toEqual([]);
  for (const words of said) expect(words).toContain("--limit-upload 2050 --limit-download 1 ");
});

test.each([
  [true, { new: 0, modified: 0, unchanged: 1 }],
  [false, { new: 0, modified: 1, unchanged: 0 }],
])(
  "with `staged: %s` a copy's own inodes and change times count as %j",
  { timeout: 120_000 },
  async (staged, changes) => {
    await using ground = await Ground.make(restic);
    const repository = await ground.repository();
    const source = await ground.tree("src", [{ path: "a", file: { text: "a" } }]);
    await repository.snapshot(snapshotOf(source, { staged }));
    // Whatever is written beside the original has another inode, though its content and times are the same.
    execFileSync("cp", ["--archive", source, `${source}-copy`]);
    await rename(source, `${source}-original`);
    await rename(`${source}-copy`, source);
    expect(await repository.snapshot(snapshotOf(source, { staged }))).toMatchObject({ changes });
  },
);
