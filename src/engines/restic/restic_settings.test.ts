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
