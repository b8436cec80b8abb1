import { mkdtempSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type FoundEntry, type TreeEntry, treeDifferences } from "../../src/engines/testing/tree.ts";
import { backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { Namespaces, Pods } from "../../src/kube/builtin.ts";
import { systemRandom } from "../../src/lib/random.ts";
import type { EngineName } from "../../src/wire/capabilities.ts";
import { startS3 } from "../engines/servers.ts";
import { type ClaimPod, startPod } from "./claim_pod.ts";
import { isTriedHere } from "./faults_moments.ts";
import { HOUSEHOLD } from "./household.ts";
import { bornFrom, restoreOf, untilBorn } from "./population_stage.ts";
import { SCENARIO_ENGINES } from "./scenario_engines.ts";
import { Stage } from "./stage.ts";
import type { OpenWorld } from "./world.ts";

const VOLUMES = ["pages", "images", "mail", "notes"];
const TENANTS = ["shop", "home", "club"];
const TIMEOUT = 1_500_000;

/** Everything of a cluster but its repository is lost, and comes back from the repository and the manifests alone. */
export function rebuiltCluster(open: OpenWorld, engines: readonly EngineName[] = SCENARIO_ENGINES): void {
  test.runIf(isTriedHere(0)).each(engines)(
    "a lost cluster of twelve volumes is whole again (%s)",
    { timeout: TIMEOUT },
    async (engine) => {
      await using stack = new AsyncDisposableStack();
      const folder = mkdtempSync(join(tmpdir(), "rebuilt-"));
      stack.defer(() => rm(folder, { recursive: true, force: true }));
      const mark = systemRandom.hex(3);
      const password = systemRandom.hex(16);

      let world = stack.use(await open());
      const storage = await startS3(folder, world.hostAddress);
      stack.defer(() => storage.stop());
      const wanted = new Map<string, readonly FoundEntry[]>();
      const deploy = async () => {
        const stages: Stage[] = [];
        for (const tenant of TENANTS) {
          const stage = await Stage.enter(world, engine, `${tenant}-${mark}`);
          const { backend, credentials } = storage.at(`${stage.namespace}/`);
          if (!("s3" in backend)) throw new Error("the S3 server is none");
          const auth = { secretRef: { name: "repository" } };
          const { bucket, prefix = "", endpoint = "", region = "" } = backend.s3;
          const s3 = { bucket, prefix, endpoint, region, addressing: "Auto", auth } as const;
          await stage.beginRepository({ s3 }, password, credentials);
          for (const name of VOLUMES) {
            await stage.recipe(name, "repository");
            await restoreOf(stage, name, { source: { fromConfig: { name } } });
            await bornFrom(stage, name, name);
          }
          await startPod(stage, workload(stage, wanted));
          stages.push(stage);
        }
        await Promise.all(
          stages.flatMap((stage) => [
            stage.untilReady(),
            stage.until(Pods, WORKLOAD, "Succeeded", ["Failed"]),
            ...VOLUMES.map((name) => untilBorn(stage, name)),
          ]),
        );
        return stages;
      };

      const first = await deploy();
      for (const stage of first) {
        for (const name of VOLUMES) {
          const key = `${stage.namespace}/${name}`;
          expect((await stage.describe(name)).filter(({ path }) => path !== "")).toEqual([]);
          await world.put({ namespace: stage.namespace, name }, belongings(key));
          wanted.set(key, await stage.describe(name));
          await stage.beginBackup(name, name);
        }
      }
      for (const stage of first) {
        for (const name of VOLUMES) await stage.until(backupResource, name, "Succeeded", ["Failed"]);
      }

      await Promise.all(first.map(destroyed));
      await world[Symbol.asyncDispose]();
      world = stack.use(await open());

      const second = await deploy();
      expect(wanted.size).toBe(12);
      for (const stage of second) {
        for (const name of VOLUMES) {
          const found = await stage.describe(name);
          expect(treeDifferences(wanted.get(`${stage.namespace}/${name}`) ?? [], found)).toEqual([]);
        }
      }
      await Promise.all(second.map(destroyed));
    },
  );
}

const WORKLOAD = "workload";

/** It is deployed together with its claims, and fails unless everything is there when it starts. */
function workload(stage: Stage, wanted: ReadonlyMap<string, readonly FoundEntry[]>): ClaimPod {
  const [claim = "", ...more] = VOLUMES;
  const folders = ["/data", ...more.map((name) => `/more/${name}`)];
  const counts = VOLUMES.map((name) => {
    const entries = wanted.get(`${stage.namespace}/${name}`) ?? [];
    return entries.filter(({ path }) => path !== "").length;
  });
  const script = `
    const { readdirSync } = require("node:fs");
    const found = ${JSON.stringify(folders)}.map((folder) => readdirSync(folder, { recursive: true }).length);
    console.log(JSON.stringify(found));
    process.exit(JSON.stringify(found) === ${JSON.stringify(JSON.stringify(counts))} ? 0 : 1);`;
  return { name: WORKLOAD, claim, more, image: stage.world.moverImage, script };
}

/** No two volumes hold the same. */
function belongings(key: string): readonly TreeEntry[] {
  const seed = [...key].reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 1_000_003, 7);
  return [
    ...HOUSEHOLD,
    { path: "whose", file: { text: key } },
    { path: "own.raw", file: { random: { bytes: 200_000, seed } } },
  ];
}

async function destroyed(stage: Stage): Promise<void> {
  const { world, namespace } = stage;
  await stage[Symbol.asyncDispose]();
  await stage.eventually(`namespace ${namespace} is gone`, async () => {
    const { items } = await world.client.list(Namespaces);
    const left = items.filter(({ metadata }) => metadata.name === namespace);
    return { done: left.length === 0, value: left.map(({ metadata }) => metadata.name) };
  });
}
