import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { RunningStorage } from "../../src/engines/testing/backend_cases.ts";
import { type FoundEntry, treeDifferences } from "../../src/engines/testing/tree.ts";
import { backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { repositoryResource } from "../../src/kinds/kopiur/generated/repository.ts";
import { systemRandom } from "../../src/lib/random.ts";
import type { EngineName } from "../../src/wire/capabilities.ts";
import { startS3 } from "../engines/servers.ts";
import { unlockedByHand } from "./bare_engine.ts";
import { LONG, Moments } from "./faults_moments.ts";
import { pause } from "./faults_stage.ts";
import { FILMS, HOUSEHOLD } from "./household.ts";
import { maintained } from "./maintenance_stage.ts";
import { bornFrom, restoreOf, untilBorn } from "./population_stage.ts";
import { Stage } from "./stage.ts";
import type { OpenWorld, ScenarioWorld } from "./world.ts";

const VOLUMES = { letters: HOUSEHOLD, films: FILMS } as const;
const NAMES = Object.keys(VOLUMES) as (keyof typeof VOLUMES)[];
export interface LostClusterOptions {
  /** Where the storage listens, which outlives every world: each may have another way to this machine. */
  readonly host: string;
  /** By then most of what was begun has ended, on a machine with little else to do. In milliseconds. */
  readonly latest: number;
}

/**
 * A cluster is gone from one moment to the next, with all that it was about to do: what comes after it has its manifests
 * and the repository. `open` gives worlds that take all of their state with them when they end.
 */
export function lostCluster(open: OpenWorld, { host, latest }: LostClusterOptions): void {
  const moments = new Moments(12);
  test.each(moments.engines())(
    "a cluster that is lost in the middle of its work is whole again (%s)",
    { timeout: LONG ? 7_200_000 : 900_000 },
    async (engine) => {
      await using stack = new AsyncDisposableStack();
      const folder = mkdtempSync(join(tmpdir(), "lost-"));
      stack.defer(() => rm(folder, { recursive: true, force: true }));
      const storage = await startS3(folder, host);
      stack.defer(() => storage.stop());
      const password = systemRandom.hex(16);
      const home: Home = { engine, storage, namespace: `home-${systemRandom.hex(3)}`, password };

      const wanted = new Map<string, readonly FoundEntry[]>();
      let world: ScenarioWorld = stack.use(await open());
      let stage = await deployed(world, home);
      for (const name of NAMES) {
        await world.put({ namespace: stage.namespace, name }, VOLUMES[name]);
        wanted.set(name, await stage.describe(name));
        await stage.backup(`first-${name}`, name);
      }
      for (let time = 1; time <= Moments.times; time++) {
        const after = moments.below(latest);
        await moments.seeded(`lost ${after} ms into its work`, async () => {
          await begin(stage, engine);
          await pause(after);
          await world[Symbol.asyncDispose]();
          world = stack.use(await open());
          stage = await deployed(world, home);
          for (const name of NAMES)
            expect(treeDifferences(wanted.get(name) ?? [], await stage.describe(name))).toEqual([]);
          // It goes on from there, and what was broken off has broken nothing.
          for (const name of NAMES) await stage.backup(`again-${name}`, name);
          if (engine === "restic") await unlocked(home);
          const { status } = await maintained(stage, "repository", `check ${time}`);
          expect(status?.lastCheck).toMatchObject({ healthy: true });
        });
      }
    },
  );
}

interface Home {
  readonly engine: EngineName;
  readonly storage: RunningStorage;
  readonly namespace: string;
  readonly password: string;
}

/** Everything that is in Git, and the claims once they have their data. */
async function deployed(world: ScenarioWorld, home: Home): Promise<Stage> {
  const { storage, namespace, password } = home;
  const stage = await Stage.enter(world, home.engine, namespace);
  const { backend, credentials } = storage.at("home/");
  if (!("s3" in backend)) throw new Error("the S3 server is none");
  const { bucket, prefix = "", region = "" } = backend.s3;
  const { port } = new URL(backend.s3.endpoint ?? "");
  const endpoint = `http://${world.hostAddress}:${port}`;
  const auth = { secretRef: { name: "repository" } };
  const s3 = { bucket, prefix, endpoint, region, addressing: "Auto", auth } as const;
  await stage.beginRepository({ s3 }, password, credentials);
  for (const name of NAMES) {
    await stage.recipe(name, "repository");
    await restoreOf(stage, name, { source: { fromConfig: { name } } });
    await bornFrom(stage, name, name);
  }
  await stage.until(repositoryResource, "repository", "Ready", ["Failed"]);
  for (const name of NAMES) await untilBorn(stage, name);
  return stage;
}

/** A check is alone with the repository: it would wait for half an hour for whoever worked when the cluster was lost. */
async function unlocked({ storage, password }: Home): Promise<void> {
  const { backend, credentials } = storage.at("home/");
  if (!("s3" in backend)) throw new Error("the S3 server is none");
  const { bucket, prefix = "", endpoint = "" } = backend.s3;
  const { AWS_ACCESS_KEY_ID: accessKey = "", AWS_SECRET_ACCESS_KEY: secretKey = "" } = credentials;
  await unlockedByHand({ s3: { bucket, endpoint, accessKey, secretKey }, prefix, password });
}

/**
 * A bit of everything. With restic nothing that must be alone: its lock would outlive the cluster, and keep others out for
 * the half hour after which it counts as dead.
 */
async function begin(stage: Stage, engine: EngineName): Promise<void> {
  await stage.backup("passing", "letters");
  for (const name of NAMES) {
    await stage.beginBackup(`second-${name}`, name);
    await stage.beginRestore(`copy-${name}`, { fromConfig: { name } }, `copy-of-${name}`);
  }
  await bornFrom(stage, "born", "films");
  if (engine === "restic") return;
  await stage.world.client.delete(backupResource, { namespace: stage.namespace, name: "passing" });
  void maintained(stage, "repository", "full 0").catch(() => {});
}
