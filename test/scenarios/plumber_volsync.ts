import { afterAll, describe, expect, test } from "vitest";
import { kopiur } from "../../src/apis/kopiur/api.ts";
import { plumber } from "../../src/apis/plumber/api.ts";
import { webhooksName } from "../../src/core/api.ts";
import { ReplicationDestinations, ReplicationSources } from "../../src/kinds/plumber/volsync.ts";
import { ANNOTATIONS } from "../../src/kinds/plumber/words.ts";
import { removeWebhooks } from "../../src/kube/admission/webhook_configuration.ts";
import { CustomResourceDefinitions } from "../../src/kube/builtin.ts";
import { installCrds } from "./install_crds.ts";
import { PlumberStage, REPOSITORY } from "./plumber_stage.ts";
import { VOLSYNC_CRDS } from "./volsync_crds.ts";
import { withWorld } from "./with_world.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";

const SETTINGS = {
  mode: "permissive",
  output: "volsync",
  repository: { kind: "ClusterRepository", name: REPOSITORY },
  minBackupAge: "0s",
  tiers: { hourly: { cron: "H/20 * * * *" } },
  volsync: { volumeSnapshotClassName: "snaps", cacheCapacity: "2Gi" },
};

/** VolSync's objects as an output: before its CRDs are there, and with them. */
export function plumberVolsyncScenarios(open: OpenWorld): void {
  describe("labels that become objects of VolSync", () => {
    let world: ScenarioWorld;
    withWorld(
      () =>
        open({
          lending: true,
          apis: [kopiur, plumber],
          guards: [kopiur, plumber],
          ofApis: { plumber: SETTINGS },
        }),
      async (opened) => {
        world = opened;
        await PlumberStage.prepare(world);
      },
    );
    afterAll(async () => {
      const { client } = world;
      for (const { name } of [kopiur, plumber]) await removeWebhooks(client, webhooksName(name));
      for (const { metadata } of VOLSYNC_CRDS) await client.delete(CustomResourceDefinitions, metadata);
    });

    test("15: wait for its CRDs, hold nothing else up, and are what its API server takes", {
      timeout: 300_000,
    }, async () => {
      await using stage = await PlumberStage.enter(world);
      const { client } = world;
      await stage.deniedSoon("a", /SkipWithoutReason/, { [ANNOTATIONS.skipRestore]: "true" });
      await stage.claim("data");
      await stage.told("data", "DependencyNotReady", /VolSync is not installed/);
      await stage.unlabelled("other");
      await stage.until("other", "Bound");

      await installCrds(client, VOLSYNC_CRDS, new AbortController().signal);
      // The caches would find them within half a minute; one that begins anew finds them at once.
      while (!(await client.serves(ReplicationDestinations))) await new Promise(setImmediate);
      await world.operator.replace();
      const key = { namespace: stage.namespace, name: "data-dst" };
      await stage.there(ReplicationDestinations, key.name);
      // VolSync has looked at it, and found its Secret.
      const conditions = [{ type: "Synchronizing", status: "True", reason: "SyncInProgress", message: "" }];
      const patch = { status: { conditions } } as object;
      await client.patch(ReplicationDestinations, key, { type: "merge", patch }, { subresource: "status" });
      await stage.there(ReplicationSources, "data");
      // A field that the CRD does not know would not have been stored.
      const shared = {
        repository: "volsync-kopia-repository",
        username: "data",
        hostname: stage.namespace,
        volumeSnapshotClassName: "snaps",
        cacheCapacity: "2Gi",
        moverSecurityContext: { runAsUser: 0, runAsGroup: 568, fsGroup: 568 },
        copyMethod: "Snapshot",
      };
      const source = await client.get(ReplicationSources, { ...key, name: "data" });
      expect(source.spec).toMatchObject({
        sourcePVC: "data",
        trigger: { schedule: expect.stringMatching(/^\d+,\d+,\d+ \* \* \* \*$/) },
        kopia: { ...shared, retain: { hourly: 24, daily: 7, weekly: 4, monthly: 2 } },
      });
      expect((await client.get(ReplicationDestinations, key)).spec).toMatchObject({
        trigger: { manual: "restore-once" },
        kopia: { ...shared, capacity: "100Mi", accessModes: ["ReadWriteOnce"] },
      });
      await stage.stateOf("data", "ready");
    });
  });
}
