import { describe, expect, test } from "vitest";
import { kopiur } from "../../src/apis/kopiur/api.ts";
import { plumber } from "../../src/apis/plumber/api.ts";
import { webhooksName } from "../../src/core/api.ts";
import { treeDifferences } from "../../src/engines/testing/tree.ts";
import { backupConfigResource } from "../../src/kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../src/kinds/kopiur/generated/backup_schedule.ts";
import { restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import { removeWebhooks } from "../../src/kube/admission/webhook_configuration.ts";
import { PersistentVolumeClaims } from "../../src/kube/builtin.ts";
import { HOUSEHOLD } from "./household.ts";
import { PlumberStage, REPOSITORY } from "./plumber_stage.ts";
import { withWorld } from "./with_world.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";

const SETTINGS = {
  mode: "enforce",
  repository: { kind: "ClusterRepository", name: REPOSITORY },
  copyMethod: "Direct",
  minBackupAge: "0s",
  refreshInterval: "2s",
};

/** Volumes that are protected by their labels, with the webhooks on. */
export function plumberScenarios(open: OpenWorld): void {
  let world: ScenarioWorld;

  withWorld(
    () => open({ lending: true, apis: [kopiur, plumber], guards: [plumber], ofApis: { plumber: SETTINGS } }),
    async (opened) => {
      world = opened;
      await PlumberStage.prepare(world);
    },
  );

  describe("a labelled volume", () => {
    test("is backed up, lost, created again, and comes back identical", { timeout: 300_000 }, async () => {
      await using stage = await PlumberStage.enter(world);
      const { namespace } = stage;
      // Before anything answers for the repository, nothing is born: not even what never had a backup.
      await stage.denied("data", /BackupStateUnknown: .* does not exist\. Create it/);
      await using _ = await stage.repository();

      await stage.claimOnceKnown("data");
      await stage.until("data", "Bound");
      await world.put({ namespace, name: "data" }, HOUSEHOLD);
      const wanted = await world.describe({ namespace, name: "data" });
      await stage.stateOf("data", "ready");
      const config = await world.client.get(backupConfigResource, { namespace, name: "data" });
      expect(config.spec).toMatchObject({
        repository: { kind: "ClusterRepository", name: REPOSITORY },
        identity: { username: "data", hostname: namespace },
        sources: [{ pvc: { name: "data" }, sourcePathOverride: "/data" }],
      });
      const schedule = await world.client.get(backupScheduleResource, { namespace, name: "data" });
      expect(schedule.metadata.labels).toMatchObject({
        "app.kubernetes.io/managed-by": "pvc-plumber",
        "pvc-plumber.io/source-pvc": "data",
        "pvc-plumber.io/tier": "hourly",
        "volsync.backup/pvc": "data",
      });

      await stage.backUpNow("data", "1");
      await stage.lose("data");
      await stage.claim("data");
      const claim = await world.client.get(PersistentVolumeClaims, { namespace, name: "data" });
      expect(claim.spec?.dataSourceRef).toMatchObject({ kind: "Restore", name: "data-dst" });
      await world.client.get(restoreResource, { namespace, name: "data-dst" });
      await stage.until("data", "Bound");
      expect(treeDifferences(wanted, await world.describe({ namespace, name: "data" }))).toEqual([]);

      // While nobody answers, what is labelled waits, and everything else passes.
      await world.operator.away(async () => {
        await expect(stage.claim("late")).rejects.toThrow(/persistentvolumeclaims\.pvc-plumber\.io/);
        await stage.unlabelled("other");
      });
      await stage.skipping("fresh", "a scratch volume");
      await removeWebhooks(world.client, webhooksName(plumber.name));
    });
  });
}
