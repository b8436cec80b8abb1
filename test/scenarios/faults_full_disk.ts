import { describe, expect, test } from "vitest";
import { MADE_FOR } from "../../src/core/volumes/claim_request.ts";
import { treeDifferences } from "../../src/engines/testing/tree.ts";
import { type Backup, backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { type Restore, restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import type { Resource } from "../../src/kube/resource.ts";
import type { ErrorClass } from "../../src/wire/error_classes.ts";
import { Moments } from "./faults_moments.ts";
import { edit, nothingIsLeft, repositoryIsSound } from "./faults_stage.ts";
import { LARGE_HOUSEHOLD } from "./household.ts";
import type { SmallDisk } from "./small_disk.ts";
import { Stage } from "./stage.ts";
import type { ScenarioWorld } from "./world.ts";

/** Room for the repository itself, or for some of the files; and for everything. */
const SMALL = "8m";
const LARGE = "200m";

/** There is no room where something is to be written, until there is. */
export function fullDisks(world: () => ScenarioWorld): void {
  describe.each(new Moments(4).engines())("with %s, a full disk", (engine) => {
    test("holds up a backup and a restore until there is room", { timeout: 900_000 }, async () => {
      await using stage = await Stage.enter(world(), engine);
      const { namespace } = stage;
      await stage.claim("repository");
      using disk = await world().shrink({ namespace, name: "repository" }, SMALL);
      const repository = await stage.repositoryOnClaim();
      await stage.filledClaim("data", LARGE_HOUSEHOLD);
      const wanted = await stage.describe("data");
      await stage.recipe("data", repository);

      await stage.beginBackup("first", "data");
      await fails(stage, backupResource, "first", { errorClass: "Full", remedy: "space" });
      disk.grow(LARGE);
      await edit(stage, backupResource, "first");
      const backup = await stage.until(backupResource, "first", "Succeeded");
      await repositoryIsSound(stage, [backup], wanted);

      using target = await restoreOnSmallDisk(stage, "again", "first", "restored");
      await fails(stage, restoreResource, "again", { errorClass: "TargetFull", remedy: "larger volume" });
      target.grow(LARGE);
      await edit(stage, restoreResource, "again");
      await stage.until(restoreResource, "again", "Completed");
      expect(treeDifferences(wanted, await stage.describe("restored"))).toEqual([]);
      await nothingIsLeft(stage);
    });
  });
}

/** The claim is there before the operator could make it, so that its disk can be small from the start. */
async function restoreOnSmallDisk(
  stage: Stage,
  name: string,
  backup: string,
  claim: string,
): Promise<SmallDisk> {
  const { world, namespace } = stage;
  return world.operator.away(async () => {
    await stage.beginRestore(name, { backupRef: { name: backup } }, claim);
    const { metadata } = await world.client.get(restoreResource, { namespace, name });
    await stage.claim(claim, { [MADE_FOR]: metadata.uid });
    return world.shrink({ namespace, name: claim }, SMALL);
  });
}

interface WantedFailure {
  readonly errorClass: ErrorClass;
  readonly remedy: string;
}

/** It fails at once, as a person has to act first, and says so. */
async function fails<T extends Backup | Restore>(
  stage: Stage,
  resource: Resource<T>,
  name: string,
  { errorClass, remedy }: WantedFailure,
): Promise<void> {
  const { status } = await stage.eventually(`the failure of ${name} is told`, async () => {
    const value = await stage.world.client.get(resource, { namespace: stage.namespace, name });
    const { failure, job, phase } = value.status ?? {};
    return { done: failure !== undefined && phase === "Failed" && job?.attempts === 1, value };
  });
  expect(status).toMatchObject({
    failure: {
      errorClass,
      retry: "terminal",
      remedy: expect.stringContaining(remedy),
    },
    conditions: expect.arrayContaining([
      expect.objectContaining({ type: "Ready", status: "False", reason: errorClass }),
    ]),
  });
}
