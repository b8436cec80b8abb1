import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kopiur } from "../../src/apis/kopiur/api.ts";
import { plumber } from "../../src/apis/plumber/api.ts";
import { webhooksName } from "../../src/core/api.ts";
import { type FoundEntry, treeDifferences } from "../../src/engines/testing/tree.ts";
import { backupConfigResource } from "../../src/kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../src/kinds/kopiur/generated/backup_schedule.ts";
import { restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import { ANNOTATIONS, type RestoreMode } from "../../src/kinds/plumber/words.ts";
import { removeWebhooks } from "../../src/kube/admission/webhook_configuration.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { HOUSEHOLD } from "./household.ts";
import { PlumberStage, REPOSITORY } from "./plumber_stage.ts";
import { S3Proxy } from "./s3_proxy.ts";
import { withWorld } from "./with_world.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";

const SETTINGS = {
  mode: "enforce",
  repository: { kind: "ClusterRepository", name: REPOSITORY },
  copyMethod: "Direct",
  minBackupAge: "0s",
  refreshInterval: "4s",
};

const inMode = (mode: RestoreMode, more: Readonly<Record<string, string>> = {}) => ({
  [ANNOTATIONS.mode]: mode,
  ...more,
});
const SKIP = { [ANNOTATIONS.skipRestore]: "true" };
const SKIP_FOR = { ...SKIP, [ANNOTATIONS.skipRestoreReason]: "a scratch volume" };
/** What becomes of a PVC whose volume was lost, by its mode. */
const LOST = {
  audit: "empty",
  permissive: "restored",
  enforce: "restored",
  strict: "restored",
  never: "empty",
  force: "restored",
} as const satisfies Record<RestoreMode, "empty" | "restored">;
const MODES = Object.keys(LOST) as RestoreMode[];

/** All at the same time. One that fails says which of the document's cases it is. */
async function cases(all: Readonly<Record<string, () => Promise<unknown>>>): Promise<void> {
  const work = Object.entries(all).map(async ([name, check]) => {
    try {
      await check();
    } catch (cause) {
      throw new Error(`case ${name}: ${cause instanceof Error ? cause.message : cause}`, { cause });
    }
  });
  await Promise.allSettled(work);
  await Promise.all(work);
}

/** The document's matrix of failures from end to end, with the webhooks on: one repository, from its absence to a loss. */
export function plumberScenarios(open: OpenWorld): void {
  describe("volumes that are protected by their labels", () => {
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

    const stack = new AsyncDisposableStack();
    const wanted = new Map<string, readonly FoundEntry[]>();
    const stable = `library-${systemRandom.hex(4)}`;
    let proxy: S3Proxy;
    let app: PlumberStage;
    let other: PlumberStage;
    beforeAll(async () => {
      proxy = stack.use(await S3Proxy.to(world.s3?.endpoint ?? "", world.hostAddress));
      [app, other] = await Promise.all([PlumberStage.enter(world), PlumberStage.enter(world)]);
      stack.use(app);
      stack.use(other);
    });
    afterAll(async () => {
      for (const { name } of [kopiur, plumber]) await removeWebhooks(world.client, webhooksName(name));
      await stack.disposeAsync();
    });

    const contents = async ({ namespace }: PlumberStage, name: string) => world.describe({ namespace, name });
    const fresh = async (name: string, mode: RestoreMode) => {
      await app.claimOnceKnown(name, inMode(mode));
      expect(await app.source(name)).toBeUndefined();
      await app.told(name, "BackupStateKnown");
    };
    const comesBack = async (stage: PlumberStage, name: string, as = name) => {
      expect(await stage.source(name)).toBe(`${name}-dst`);
      await stage.until(name, "Bound");
      expect(treeDifferences(wanted.get(as) ?? [], await contents(stage, name))).toEqual([]);
    };

    test("before anything answers for the repository, nothing is known", { timeout: 300_000 }, async () => {
      await app.deniedSoon("a", /BackupStateUnknown: .* does not exist\. Create it/);
      await app.beginRepository(proxy.endpoint);
      const early = async (mode: "audit" | "permissive") => {
        await app.claim(`early-${mode}`, inMode(mode));
        expect(await app.source(`early-${mode}`)).toBeUndefined();
        await app.told(`early-${mode}`, "BackupStateUnknown");
      };
      await cases({
        "3 (strict)": () => app.denied("a", /BackupStateUnknown/, inMode("strict")),
        "C' (enforce)": () => app.denied("a", /BackupStateUnknown/, inMode("enforce")),
        "F (force)": () => app.denied("a", /NothingToForce/, inMode("force")),
        "E (never)": () => app.claim("early-never", inMode("never")),
        "4 (audit)": () => early("audit"),
        "4 (permissive)": () => early("permissive"),
        "14 (unlabelled)": () => app.unlabelled("unlabelled"),
      });
      await app.told("early-permissive", "WaitingForRepoSecret", /Secret/);
      expect(await app.names(backupScheduleResource)).toEqual([]);
      await app.beginWithCredentials();
      await app.claimOnceKnown("known");
    });

    test("once the repository has answered, what has no backup starts empty", {
      timeout: 300_000,
    }, async () => {
      const twin = { [ANNOTATIONS.backupIdentity]: `twin-${systemRandom.hex(4)}` };
      await app.claimOnceKnown("twin", inMode("strict", twin));
      await cases({
        "1 (audit)": () => fresh("fresh-audit", "audit"),
        "1 (permissive)": () => fresh("fresh-permissive", "permissive"),
        "1 (enforce)": () => fresh("fresh-enforce", "enforce"),
        "1 (strict)": () => fresh("fresh-strict", "strict"),
        "F (force)": () => app.denied("a", /NothingToForce: .*there is no backup/, inMode("force")),
        "7": () => other.deniedSoon("twin", /DuplicateBackupIdentity/, inMode("strict", twin)),
        "9 (permissive)": () => app.denied("a", /SkipWithoutReason/, inMode("permissive", SKIP)),
        "9 (enforce)": () => app.denied("a", /SkipWithoutReason/, inMode("enforce", SKIP)),
        "9 (strict)": () => app.denied("a", /SkipWithoutReason/, inMode("strict", SKIP)),
        "9 (audit)": () => app.claim("skipped-audit", inMode("audit", SKIP)),
        "10": async () => {
          await app.claimOnceKnown("skipped", inMode("strict", SKIP_FOR));
          await app.told("skipped", "RestoreSkipped", /a scratch volume/);
        },
        "13": async () => {
          await app.claimOnceKnown("young", inMode("enforce", { [ANNOTATIONS.minBackupAge]: "1h" }));
          await app.stateOf("young", "waiting_for_min_age");
          await app.told("young", "SourceGated");
        },
        "18": async () => {
          await Promise.all(["config", "media"].map((name) => app.claimOnceKnown(name)));
          for (const name of ["config", "media"]) {
            await app.there(restoreResource, `${name}-dst`);
            const config = await world.client.get(backupConfigResource, { namespace: app.namespace, name });
            expect(config.spec.identity).toMatchObject({ username: name, hostname: app.namespace });
          }
        },
      });
      await other.claimOnceKnown("twin", inMode("permissive", twin));
      await other.told("twin", "DuplicateBackupIdentity", new RegExp(`${app.namespace}/twin`));
      const configs = await app.names(backupConfigResource);
      expect(configs).toContain("fresh-permissive");
      expect(configs).not.toContain("fresh-audit");
      expect(configs).not.toContain("early-audit");
      expect(await app.names(backupScheduleResource)).not.toContain("young");
    });

    test("labels become objects with the documented names and labels, and backups are made", {
      timeout: 300_000,
    }, async () => {
      const { namespace } = app;
      const library = inMode("permissive", { [ANNOTATIONS.backupIdentity]: stable });
      await Promise.all([
        ...MODES.map((mode) => app.claimOnceKnown(mode)),
        app.claimOnceKnown("library", library),
      ]);
      const named = [...MODES, "library"];
      await Promise.all(
        named.map(async (name) => {
          await app.until(name, "Bound");
          const data = name === "strict" ? HOUSEHOLD : [{ path: "whose", file: { text: name } }];
          await world.put({ namespace, name }, data);
          wanted.set(name, await contents(app, name));
        }),
      );
      await app.stateOf("strict", "ready");
      await app.there(backupScheduleResource, "strict");
      const config = await world.client.get(backupConfigResource, { namespace, name: "strict" });
      expect(config.spec).toMatchObject({
        repository: { kind: "ClusterRepository", name: REPOSITORY },
        identity: { username: "strict", hostname: namespace },
        sources: [{ pvc: { name: "strict" }, sourcePathOverride: "/data" }],
      });
      const schedule = await world.client.get(backupScheduleResource, { namespace, name: "strict" });
      expect(schedule.metadata.labels).toMatchObject({
        "app.kubernetes.io/managed-by": "pvc-plumber",
        "pvc-plumber.io/source-namespace": namespace,
        "pvc-plumber.io/source-pvc": "strict",
        "pvc-plumber.io/tier": "hourly",
        "volsync.backup/pvc": "strict",
      });
      expect(schedule.metadata.ownerReferences).toBeUndefined();
      await Promise.all([
        ...MODES.map((mode) => app.backUpNow(mode, "1")),
        app.backUpNow("library", "1", `pvc-plumber/${stable}`),
        // 13: a request does not wait for the minimum age.
        app.backUpNow("young", "1"),
      ]);
    });

    test(
      "while the operator is down, PVCs wait whose mode denies what nobody knows, and all others pass",
      { timeout: 300_000 },
      () =>
        world.operator.away(() =>
          cases({
            "14 (strict)": () => app.denied("a", /persistentvolumeclaims\.pvc-plumber\.io/, inMode("strict")),
            "14 (enforce)": () => app.denied("a", /persistentvolumeclaims\.pvc-plumber\.io/),
            "14 (permissive)": () => app.claim("down-permissive", inMode("permissive")),
            "14 (audit)": () => app.claim("down-audit", inMode("audit")),
            "14 (unlabelled)": () => app.unlabelled("down"),
          }),
        ),
    );

    test("while the repository is away, its list grows old", { timeout: 300_000 }, async () => {
      await Promise.all([...MODES, "library"].map((name) => app.lose(name)));
      await app.deniedSoon("strict", /./, inMode("enforce", SKIP));
      proxy.manner = "away";
      await app.deniedSoon("strict", /CacheStale/, inMode("strict"));
      const late = async (mode: "audit" | "permissive") => {
        await app.claim(`late-${mode}`, inMode(mode));
        expect(await app.source(`late-${mode}`)).toBeUndefined();
        await app.told(`late-${mode}`, "BackupStateUnknown", /too old/);
      };
      await cases({
        "5 (a stale yes)": () => app.denied("strict", /CacheStale/, inMode("strict")),
        "5 (a stale no)": () => app.denied("a", /CacheStale/, inMode("strict")),
        "C' (a stale no)": () => app.denied("a", /BackupStateUnknown: .*too old/, inMode("enforce")),
        "F (a stale no)": () => app.denied("a", /NothingToForce/, inMode("force")),
        "6 (audit)": () => late("audit"),
        "6 (permissive)": () => late("permissive"),
      });
      proxy.manner = "well";
    });

    test("what was lost comes back as its mode says", { timeout: 300_000 }, async () => {
      // 11: one that would be there for a moment only is not relied upon.
      await app.held(restoreResource, "strict-dst", () =>
        app.deniedSoon("strict", /Restore strict-dst is being deleted/, inMode("enforce")),
      );
      const back = Object.entries(LOST).map(
        ([mode, becomes]) =>
          [
            `2 (${mode})`,
            async () => {
              await app.claimOnceKnown(mode, inMode(mode as RestoreMode));
              if (becomes === "restored") return comesBack(app, mode);
              expect(await app.source(mode)).toBeUndefined();
              await app.until(mode, "Bound");
              const found = (await contents(app, mode)).filter(({ path }) => path !== "");
              expect(found).toEqual([]);
            },
          ] as const,
      );
      await cases({
        ...Object.fromEntries(back),
        "2 (what an earlier PVC left is of another identity)": async () => {
          const force = { [ANNOTATIONS.backupIdentity]: `${app.namespace}/force` };
          await app.claimOnceKnown("library", inMode("enforce", force));
          await comesBack(app, "library", "force");
        },
        "12": () => app.told("strict", "SourceGated", /once the restore has completed/),
        "17": async () => {
          const annotations = inMode("strict", { [ANNOTATIONS.backupIdentity]: stable });
          await other.claimOnceKnown("library", annotations);
          await comesBack(other, "library");
        },
      });
      expect(await app.names(restoreResource)).toContain("strict-dst");
      await app.stateOf("strict", "ready");
    });

    test("a hundred PVCs at once are admitted, and each gets its objects", { timeout: 300_000 }, async () => {
      await using crowd = await PlumberStage.enter(world);
      await crowd.deniedSoon("a", /SkipWithoutReason/, inMode("strict", SKIP));
      const names = Array.from({ length: 100 }, (_, n) => `crowd-${n}`);
      // No volume is made of any: it is the operator that is asked.
      const storageClassName = "no-such-class";
      await Promise.all(
        names.map((name) => crowd.claimOnceKnown(name, inMode("strict"), { storageClassName })),
      );
      await crowd.allIn("waiting_for_pvc_bound", names.length);
      expect(await crowd.names(backupConfigResource)).toEqual(names.toSorted());
      expect(await crowd.names(restoreResource)).toEqual(names.map((name) => `${name}-dst`).toSorted());
    });
  });
}
