import { beforeEach, describe, expect, test } from "vitest";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import { backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../../kinds/kopiur/generated/backup_config.ts";
import { type Repository, repositoryResource } from "../../../kinds/kopiur/generated/repository.ts";
import { type Restore, restoreResource } from "../../../kinds/kopiur/generated/restore.ts";
import type { Draft } from "../../../kube/object.ts";
import { readyNas } from "../testing/samples.ts";
import { RetentionWorld } from "./testing/retention_world.ts";

describe("retentionController()", () => {
  let world: RetentionWorld;

  beforeEach(async () => {
    world = new RetentionWorld();
    await world.recipe();
  });

  test("deletes what no rule keeps with each Backup that ends, marked as its own deletion", async () => {
    const operator = world.start();
    for (const name of ["a", "b", "c", "d"]) await world.succeed(name);
    expect(world.deleted).toEqual(["a Retention", "b Retention"]);
    expect(world.config.status?.retention).toMatchObject({
      activeBackupCount: 2,
      lastPruneAt: "2026-05-24T00:04:00Z",
      lastPruneDeleted: 1,
      next: [{ backup: "c" }],
    });
    expect(operator.events.filter(({ reason }) => reason === "Pruned")).toHaveLength(2);
  });

  test("clears a long history in steps, without waiting", async () => {
    for (let i = 10; i < 60; i++) await world.succeed(`b-${i}`);
    world.start();
    await world.clock.advance(1_000);
    expect(world.deleted).toHaveLength(48);
  });

  test("holds back while a source has shrunk, and goes on when that is acknowledged", async () => {
    const operator = world.start();
    for (const name of ["a", "b"]) await world.succeed(name);
    await world.succeed("small", 1);
    expect(world.deleted).toEqual([]);
    expect(operator.events).toContainEqual(
      expect.objectContaining({ type: "Warning", reason: "SourceShrank" }),
    );
    const patch = { metadata: { annotations: { [ANNOTATIONS.acknowledgeShrink]: "small" } } };
    await world.patch(backupConfigResource, world.config.metadata, { type: "merge", patch });
    await world.clock.advance(0);
    expect(world.deleted).toEqual(["a Retention"]);
  });

  test("holds back while the repository's list lacks too much, and goes on when it does not any more", async () => {
    world.start();
    const { metadata, spec } = readyNas();
    const conditions = [{ type: "CatalogShrunk", status: "True", message: "Too much is missing." }];
    const { namespace, name } = metadata;
    const draft = { metadata: { namespace, name }, spec, status: { phase: "Ready", conditions } };
    const nas = await world.create(repositoryResource, draft as unknown as Draft<Repository>);
    for (const name of ["a", "b", "c"]) await world.succeed(name);
    expect(world.deleted).toEqual([]);
    expect(world.config.status?.retention).toMatchObject({ pausedReason: "CatalogShrunk" });
    const patch = { status: { conditions: [] } };
    await world.patch(repositoryResource, nas.metadata, { type: "merge", patch });
    await world.clock.advance(3_600_000);
    expect(world.deleted).toEqual(["a Retention"]);
  });

  test("keeps what a restore reads, and lets it go when that has ended", async () => {
    world.start();
    const spec = { source: { backupRef: { name: "a" } } };
    const draft = { metadata: { namespace: "billing", name: "again" }, spec };
    const restore = await world.create(restoreResource, draft as Draft<Restore>);
    for (const name of ["a", "b", "c"]) await world.succeed(name);
    expect(world.deleted).toEqual([]);
    const patch = { status: { phase: "Completed" } } as const;
    await world.patch(restoreResource, restore.metadata, { type: "merge", patch });
    await world.clock.advance(0);
    expect(world.deleted).toEqual(["a Retention"]);
  });

  test("decides on what the API server holds, where its cache is behind", async () => {
    const operator = world.start();
    for (const name of ["a", "b"]) await world.succeed(name);
    operator.stall();
    const c = await world.succeed("c");
    await world.delete(
      backupResource,
      (await world.get(backupResource, { namespace: "billing", name: "b" })).metadata,
    );
    await world.delete(backupResource, c.metadata);
    world.deleted.length = 0;
    // The cache hears of `c`, and of nothing since.
    operator.tell(c);
    await world.clock.advance(0);
    expect(world.deleted).toEqual([]);
    expect([...world.all(backupResource)].map(({ metadata }) => metadata.name)).toEqual(["a"]);
  });

  test("leaves alone what was edited since it was looked at", async () => {
    for (const name of ["a", "b", "c"]) await world.succeed(name);
    const list = world.list.bind(world);
    world.list = async (...args: Parameters<typeof list>) => {
      const answer = await list(...args);
      const patch = { metadata: { annotations: { [ANNOTATIONS.hold]: "true" } } };
      await world.patch(backupResource, { namespace: "billing", name: "a" }, { type: "merge", patch });
      return answer as never;
    };
    world.start();
    await world.clock.advance(10_000);
    expect(world.deleted).toEqual([]);
  });
});
