import { execFileSync } from "node:child_process";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { Ground, listed, snapshotOf } from "../../src/engines/testing/ground.ts";
import { describeTree } from "../../src/engines/testing/tree.ts";
import { shippedKopia as kopia } from "./shipped_kopia.ts";
import { shippedRestic as restic } from "./shipped_restic.ts";

/** Of the repositories in `older/`, whose README says how they were made. */
const PASSWORD = "anybody may read this";

describe.each([
  ["kopia", "0.19.0", kopia],
  ["kopia", "0.22.3", kopia],
  ["restic", "0.16.5", restic],
  ["restic", "0.18.1", restic],
] as const)("a repository of %s %s", { timeout: 120_000 }, (name, version, under) => {
  test("is read, continued, maintained and checked", async () => {
    await using ground = await Ground.make(under);
    const path = ground.path("repository");
    await mkdir(path);
    const archive = join(import.meta.dirname, "older", `${name}-${version}.tar.gz`);
    execFileSync("tar", ["--extract", "--gzip", "--file", archive, "--directory", path]);
    const repository = ground.keep(await ground.engine.open(ground.location("repository", PASSWORD)));

    const [old] = await listed(repository);
    expect(old).toMatchObject({ identity: { hostname: "shop", path: "/data" }, fidelity: "Engine" });
    await repository.restore({ snapshot: old?.id ?? "", target: ground.path("old") });
    const text = (from: string, file: string) => execFileSync("cat", [ground.path(from, file)]).toString();
    expect([text("old", "a"), text("old", "sub/b")]).toEqual(["written by an older version\n", "b\n"]);
    const entries = (await describeTree(ground.path("old"))).map(({ path: at }) => at);
    expect(entries.toSorted()).toEqual(["", "a", "link", "sub", "sub/b"]);

    const source = await ground.tree("src", [{ path: "new", file: { text: "of today" } }]);
    const { snapshot } = await repository.snapshot(snapshotOf(source));
    // Who made it maintains it until somebody takes that over.
    await repository.maintain({ mode: "Full", takeOver: true });
    expect((await repository.check({ dataPercent: 100 })).problems).toEqual([]);
    expect((await listed(repository)).map(({ id }) => id)).toEqual([old?.id, snapshot.id]);
    await repository.restore({ snapshot: snapshot.id, target: ground.path("again") });
    expect(text("again", "new")).toBe("of today");
  });
});
