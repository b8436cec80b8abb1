import fc from "fast-check";
import { expect, test } from "vitest";
import { ANNOTATIONS, DELETION_REASON_ANNOTATION } from "../../../kinds/kopiur/annotations.ts";
import { type Backup, backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import { type BackupConfig, backupConfigResource } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { SimulatedCluster } from "../testing/simulated_cluster.ts";
import type { Fate } from "../testing/simulated_operator.ts";
import { RetentionWorld } from "./testing/retention_world.ts";

const MINUTE = 60_000;
const LONG = process.env.HOLDFAST_LONG !== undefined;

type Step =
  | { readonly kind: "succeed" | "fail" | "another leader" | "crash" | "caches stall" | "caches go on" }
  | { readonly kind: "wait" | "set the clock"; readonly hours: number }
  | { readonly kind: "delete" | "hold"; readonly which: number }
  | { readonly kind: "keep"; readonly latest: number }
  | { readonly kind: "trouble"; readonly fates: readonly Fate[] };

const oneOf = (kind: Step["kind"], more: object = {}) =>
  fc.record({ kind: fc.constant(kind), ...more }) as unknown as fc.Arbitrary<Step>;
const fates = fc.array(fc.constantFrom("answered", "lost", "unheard"), { maxLength: 8 });

const step = fc.oneof(
  { weight: 8, arbitrary: oneOf("succeed") },
  { weight: 2, arbitrary: oneOf("wait", { hours: fc.integer({ min: 0, max: 5 }) }) },
  { weight: 1, arbitrary: oneOf("fail") },
  { weight: 1, arbitrary: oneOf("another leader") },
  { weight: 1, arbitrary: oneOf("crash") },
  { weight: 2, arbitrary: oneOf("caches stall") },
  { weight: 2, arbitrary: oneOf("caches go on") },
  { weight: 1, arbitrary: oneOf("set the clock", { hours: fc.integer({ min: -9, max: 9 }) }) },
  { weight: 3, arbitrary: oneOf("delete", { which: fc.nat(9) }) },
  { weight: 1, arbitrary: oneOf("hold", { which: fc.nat(9) }) },
  { weight: 1, arbitrary: oneOf("keep", { latest: fc.integer({ min: 1, max: 3 }) }) },
  { weight: 2, arbitrary: oneOf("trouble", { fates }) },
);

/** A world in which every deletion by the operator is held against what there was at that moment. */
class WatchfulWorld extends RetentionWorld {
  readonly faults: string[] = [];
  #count = 0;

  override async delete(
    ...[resource, name, options]: Parameters<SimulatedCluster["delete"]>
  ): Promise<boolean> {
    const object = (await this.get(resource, name)) as Backup;
    if (object.metadata.annotations?.[DELETION_REASON_ANNOTATION] === "Retention") this.#judge(object);
    return super.delete(resource, name, options);
  }

  #judge(gone: Backup): void {
    const end = ({ status }: Backup) => status?.timing?.endTime ?? "";
    const newer = this.successes().filter((one) => end(one) > end(gone)).length;
    const { keepLatest = 0 } = this.config.spec.retention ?? {};
    if (newer < keepLatest) this.faults.push(`${gone.metadata.name} was one of the ${keepLatest} newest`);
    if (gone.status?.phase !== "Succeeded") this.faults.push(`${gone.metadata.name} was no success`);
    if (isHeld(gone)) this.faults.push(`${gone.metadata.name} was held`);
  }

  successes(): readonly Backup[] {
    return [...this.all(backupResource)].filter(({ status }) => status?.phase === "Succeeded");
  }

  async happen(what: Step): Promise<void> {
    const backups = [...this.all(backupResource)];
    switch (what.kind) {
      case "succeed":
        return void (await this.succeed(`b-${++this.#count}`));
      case "fail": {
        const { metadata } = await this.succeed(`b-${++this.#count}`);
        const patch = { status: { phase: "Failed", snapshots: null } } as const;
        return void (await this.patch(backupResource, metadata, { type: "merge", patch } as never));
      }
      case "wait":
        return this.clock.advance(what.hours * 60 * MINUTE);
      case "set the clock":
        return this.machine.err(what.hours * 60 * MINUTE);
      case "another leader":
        return void this.start();
      case "crash":
        for (const operator of this.operators.splice(0)) operator.kill();
        return void this.start();
      case "caches stall":
        for (const operator of this.operators) operator.stall();
        return;
      case "caches go on":
        for (const operator of this.operators) operator.goOn();
        return;
      case "delete": {
        const one = backups[what.which % Math.max(1, backups.length)];
        // Somebody's own deletion is not judged, though an operator may have died with its mark on the Backup.
        return one && void (await super.delete(backupResource, one.metadata));
      }
      case "hold": {
        const one = backups[what.which % Math.max(1, backups.length)];
        const patch = { metadata: { annotations: { [ANNOTATIONS.hold]: "true" } } };
        return one && void (await this.patch(backupResource, one.metadata, { type: "merge", patch }));
      }
      case "keep": {
        const patch = { spec: { retention: { keepLatest: what.latest } } };
        return void (await this.patch<BackupConfig>(backupConfigResource, this.config.metadata, {
          type: "merge",
          patch,
        }));
      }
      case "trouble":
        this.fates = [...what.fates];
    }
  }
}

const isHeld = ({ metadata }: Backup) => metadata.annotations?.[ANNOTATIONS.hold] === "true";

test("what is kept stays, and what is not goes in the end, whatever happens to operators, clocks, caches and requests", {
  timeout: LONG ? 3_600_000 : 600_000,
}, async () => {
  let pruned = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
      const world = new WatchfulWorld();
      await world.recipe();
      world.start();
      for (const what of steps) {
        await world.happen(what);
        await world.clock.advance(1_000);
      }
      world.fates = [];
      world.machine.err(0);
      await world.happen({ kind: "crash" });
      await world.clock.advance(90 * MINUTE);
      for (const operator of world.operators) operator.kill();
      expect(world.faults).toEqual([]);
      pruned += world.deleted.filter((line) => line.endsWith("Retention")).length;
      if (world.config.status?.retention?.pausedReason) return;
      const { keepLatest = 0 } = world.config.spec.retention ?? {};
      expect(world.successes().filter((one) => !isHeld(one)).length).toBeLessThanOrEqual(keepLatest);
    }),
    { numRuns: LONG ? 500 : 50 },
  );
  expect(pruned).toBeGreaterThan(0);
});
