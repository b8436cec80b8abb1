import { isDeepStrictEqual } from "node:util";
import { afterEach, describe, expect, test } from "vitest";
import { treeDifferences } from "../../src/engines/testing/tree.ts";
import { ANNOTATIONS } from "../../src/kinds/kopiur/annotations.ts";
import { type Backup, backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../src/kinds/kopiur/generated/backup_config.ts";
import { maintenanceResource } from "../../src/kinds/kopiur/generated/maintenance.ts";
import { repositoryResource } from "../../src/kinds/kopiur/generated/repository.ts";
import { LABELS } from "../../src/kinds/kopiur/labels.ts";
import type { EngineName } from "../../src/wire/capabilities.ts";
import { refreshed } from "./catalogue_stage.ts";
import { isTriedHere } from "./faults_moments.ts";
import { opened } from "./faults_stage.ts";
import { FILMS, HOUSEHOLD } from "./household.ts";
import { annotate, maintained, maintenanceOf, untilCondition } from "./maintenance_stage.ts";
import { SCENARIO_ENGINES } from "./scenario_engines.ts";
import { Hourly } from "./schedules_stage.ts";
import { Stage } from "./stage.ts";
import { recipe } from "./staging_stage.ts";
import { withWorld } from "./with_world.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";

const TIMEOUT = { timeout: 600_000 };

/**
 * Two clusters that know nothing of each other use one repository, with the same names for everything: what either
 * deletes is its own, whatever it can see. `open` brings the S3 server.
 */
export function twoClusters(open: OpenWorld, openOther: OpenWorld): void {
  let here: ScenarioWorld;
  let there: ScenarioWorld;

  withWorld(open, (opened) => {
    here = opened;
  });
  withWorld(openOther, (opened) => {
    there = opened;
  });

  afterEach(() => {
    for (const world of [here, there]) world?.operator.clock.err(0);
  });

  describe.each(SCENARIO_ENGINES)("with %s", (engine) => {
    test.runIf(isTriedHere(1))(
      "each prunes its own history alone, and sees the other's",
      TIMEOUT,
      async () => {
        await using stack = new AsyncDisposableStack();
        const [ours, theirs] = await bothStages(engine, here, there, stack);
        await ours.filledClaim("data", HOUSEHOLD);
        await theirs.filledClaim("data", FILMS);
        const schedules = new Map<Stage, Hourly>();
        const made = new Map<Stage, readonly Backup[]>();
        for (const stage of [ours, theirs]) {
          await recipe(stage, "data", { copyMethod: "Direct", retention: { keepLatest: 2 } });
          await stage.until(backupConfigResource, "data", "Ready");
          schedules.set(stage, await Hourly.begin(stage));
        }
        // They take turns, so that the newest two of both together are never the newest two of either.
        for (const hour of [1, 2, 3]) {
          for (const [stage, hourly] of schedules)
            made.set(stage, [...(made.get(stage) ?? []), await hourly.backup(hour)]);
        }
        const kept = [ours, theirs].map((stage) => made.get(stage)?.slice(1) ?? []);
        for (const stage of [ours, theirs])
          await stage.gone(backupResource, made.get(stage)?.[0]?.metadata.name ?? "");
        expect(await snapshotsIn(ours)).toEqual(idsOf(kept.flat()));

        for (const [i, stage] of [ours, theirs].entries()) {
          expect((await refreshed(stage, "both")).storageStats?.snapshotCount).toBe(4);
          await untilSeen(stage, kept[1 - i] ?? []);
        }

        // Whoever deletes everything that one cluster shows deletes what that cluster made.
        for (const { metadata } of await seen(theirs)) await theirs.remove(backupResource, metadata.name);
        for (const { metadata } of kept[1] ?? []) await theirs.remove(backupResource, metadata.name);
        expect(await snapshotsIn(ours)).toEqual(idsOf(kept[0] ?? []));

        // What the one has made, the other can have.
        await refreshed(theirs, "left");
        const [found] = await seen(theirs);
        await theirs.restore("theirs", { backupRef: { name: found?.metadata.name ?? "" } }, "restored");
        expect(treeDifferences(await ours.describe("data"), await theirs.describe("restored"))).toEqual([]);
      },
    );
  });

  test("one of them maintains the repository, until the other takes over knowingly", TIMEOUT, async () => {
    await using stack = new AsyncDisposableStack();
    const [ours, theirs] = await bothStages("kopia", here, there, stack);
    const rarely = { quick: { cron: "0 0 1 1 *" }, full: { cron: "0 0 1 1 *" } };
    await maintenanceOf(ours, "upkeep", { ownership: { owner: "here" }, schedule: rarely });
    await maintained(ours, "upkeep", "quick 1");
    await maintenanceOf(theirs, "upkeep", { ownership: { owner: "there" }, schedule: rarely });
    await annotate(theirs, "upkeep", { [ANNOTATIONS.runRequested]: "quick 1" });
    const refused = await untilCondition(theirs, maintenanceResource, "upkeep", "Stalled", "OwnedByAnother");
    expect(refused.status?.ownership?.owner).toBe("here");

    await annotate(theirs, "upkeep", { [ANNOTATIONS.acknowledgeTakeover]: "here" });
    await untilCondition(theirs, maintenanceResource, "upkeep", "OwnershipClaimed", "Claimed");
    await annotate(ours, "upkeep", { [ANNOTATIONS.runRequested]: "quick 2" });
    const lost = await untilCondition(ours, maintenanceResource, "upkeep", "Stalled", "OwnedByAnother");
    expect(lost.status?.ownership?.owner).toBe("there");
  });
}

/** A namespace of the same name in both worlds, and one repository for both. */
async function bothStages(
  engine: EngineName,
  here: ScenarioWorld,
  there: ScenarioWorld,
  stack: AsyncDisposableStack,
): Promise<readonly [Stage, Stage]> {
  const ours = stack.use(await Stage.enter(here, engine));
  const theirs = stack.use(await Stage.enter(there, engine, ours.namespace));
  const name = await ours.repositoryInS3();
  const { spec } = await here.client.get(repositoryResource, { namespace: ours.namespace, name });
  const { accessKey = "", secretKey = "" } = here.s3 ?? {};
  const credentials = { AWS_ACCESS_KEY_ID: accessKey, AWS_SECRET_ACCESS_KEY: secretKey };
  await theirs.beginRepository(spec.backend, ours.password, credentials);
  await theirs.until(repositoryResource, name, "Ready", ["Failed"]);
  return [ours, theirs];
}

/** What a cluster shows of the other's, without what it has just learned to be gone. */
async function seen({ world, namespace }: Stage): Promise<readonly Backup[]> {
  const labelSelector = `${LABELS.origin}=discovered`;
  const { items } = await world.client.list(backupResource, { namespace, labelSelector });
  return items.filter(({ status }) => !status?.conditions?.some(({ type }) => type === "SnapshotMissing"));
}

/** What changes under a cluster's hands while it writes down a list is left to its next look. */
async function untilSeen(stage: Stage, wanted: readonly Backup[]): Promise<void> {
  await stage.eventually("exactly what the other has made is shown", async () => {
    const value = idsOf(await seen(stage));
    return { done: isDeepStrictEqual(value, idsOf(wanted)), value };
  });
}

/** The IDs of all snapshots in the repository, as anybody would find them. */
async function snapshotsIn(stage: Stage): Promise<readonly string[]> {
  const ids: string[] = [];
  await opened(stage, async (repository) => {
    for await (const { id } of repository.list()) ids.push(id);
  });
  return ids.toSorted();
}

function idsOf(backups: readonly Backup[]): readonly string[] {
  return backups.map(({ status }) => status?.snapshot?.kopiaSnapshotID ?? "").toSorted();
}
