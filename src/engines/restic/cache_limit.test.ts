import { expect, test } from "vitest";
import { restic } from "../../../test/engines/restic_engine.ts";
import { startS3 } from "../../../test/engines/servers.ts";
import { Ground, snapshotOf } from "../testing/ground.ts";
import { describeTree } from "../testing/tree.ts";

test.each([
  ["stays when it is within its limit", 100_000_000, true],
  ["is gone when it has grown beyond", 100, false],
])("a cache %s", { timeout: 60_000 }, async (_, metadataBytes, stays) => {
  await using ground = await Ground.make(restic);
  // What lies in a folder needs no cache.
  const server = await startS3(ground.folder);
  try {
    const location = { ...server.at("repository/"), password: ground.password };
    const repository = await ground.engine.create(location, { cache: { metadataBytes } });
    const source = await ground.tree("src", [{ path: "a", file: { text: "content of a" } }]);
    await repository.snapshot(snapshotOf(source));
    await repository.close();
    const left = await describeTree(ground.path("engine"));
    expect(left.some(({ path }) => /^cache\/[0-9a-f]{64}\b/.test(path))).toBe(stays);
  } finally {
    await server.stop();
  }
});
