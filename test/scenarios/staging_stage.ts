import { VolumeSnapshotContents, VolumeSnapshots } from "../../src/core/volumes/staging/snapshot_kinds.ts";
import { STAGED_FOR } from "../../src/core/volumes/staging/staged_marks.ts";
import {
  type BackupConfig,
  type BackupConfigSpec,
  backupConfigResource,
} from "../../src/kinds/kopiur/generated/backup_config.ts";
import { PersistentVolumeClaims, PersistentVolumes, type Pod, Pods } from "../../src/kube/builtin.ts";
import type { Draft, Partially } from "../../src/kube/object.ts";
import type { EngineName } from "../../src/wire/capabilities.ts";
import { type ClaimPod, startPod } from "./claim_pod.ts";
import { HOUSEHOLD } from "./household.ts";
import { Stage } from "./stage.ts";
import type { ScenarioWorld } from "./world.ts";

/** A stage with a repository on a volume, and a claim `data` that holds something. */
export async function filledScene(world: ScenarioWorld, engine: EngineName = "kopia"): Promise<Stage> {
  const stage = await Stage.enter(world, engine);
  await stage.repositoryOnVolume();
  await stage.filledClaim("data", HOUSEHOLD);
  return stage;
}

/** A recipe that leaves out what it need not say: volumes are captured by snapshots then. */
export async function recipe(
  stage: Stage,
  name: string,
  spec: Partially<BackupConfigSpec> = {},
): Promise<void> {
  const draft = {
    metadata: { namespace: stage.namespace, name },
    spec: {
      repository: { name: "repository" },
      sources: [{ pvc: { name } }],
      mover: { privilegedMode: true },
      ...spec,
    },
  };
  await stage.world.client.create(backupConfigResource, draft as unknown as Draft<BackupConfig>);
}

/** Everything that staging can leave behind in the stage's namespace, and behind it. */
export async function remains(stage: Stage): Promise<readonly string[]> {
  const { client } = stage.world;
  const { namespace } = stage;
  const [claims, snapshots, contents, volumes] = await Promise.all([
    client.list(PersistentVolumeClaims, { namespace }),
    client.list(VolumeSnapshots, { namespace }),
    client.list(VolumeSnapshotContents),
    client.list(PersistentVolumes),
  ]);
  const known = new Set(claims.items.map(({ metadata }) => metadata.uid));
  const left = [
    ...claims.items.filter(({ metadata }) => metadata.labels?.[STAGED_FOR] !== undefined),
    ...snapshots.items,
    ...contents.items.filter(({ spec }) => spec.volumeSnapshotRef.namespace === namespace),
    ...volumes.items.filter(
      ({ spec }) => spec?.claimRef?.namespace === namespace && !known.has(spec.claimRef.uid ?? ""),
    ),
  ];
  return left.map(({ kind, metadata }) => `${kind} ${metadata.name}`);
}

export async function nothingStaged(stage: Stage): Promise<void> {
  await stage.eventually("nothing staged is left", async () => {
    const value = await remains(stage);
    return { done: value.length === 0, value };
  });
}

/** Once something is staged. */
export async function untilStaged(stage: Stage): Promise<void> {
  await stage.eventually("something is staged", async () => {
    const value = await remains(stage);
    return { done: value.length > 0, value };
  });
}

/** What the writer writes. */
export const DIARY = "diary";

/** A pod, labelled `app: writer`, that writes on a volume all the time. */
export async function writer(stage: Stage, pod: Omit<ClaimPod, "name" | "script">): Promise<Pod> {
  const { client } = stage.world;
  const { namespace } = stage;
  const script = `setInterval(() => require("fs").appendFileSync("/data/${DIARY}", "another line\\n"), 20)`;
  await startPod(stage, { ...pod, name: "writer", script });
  return stage.eventually("the writer writes", async () => {
    const value = await client.get(Pods, { namespace, name: "writer" });
    const found = await stage.describe(pod.claim);
    return { done: value.status?.phase === "Running" && found.some(({ path }) => path === DIARY), value };
  });
}
