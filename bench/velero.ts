import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Namespaces, type Pod, Pods } from "../src/kube/builtin.ts";
import { systemProcesses } from "../src/lib/processes.ts";
import { remove } from "../test/cluster/velero_server.ts";
import { VeleroStage } from "../test/cluster/velero_stage.ts";
import { podDraft } from "../test/scenarios/claim_pod.ts";
import { down, load, up } from "../tools/cluster/cluster.ts";
import { buildImage, imageTag } from "../tools/images/images.ts";
import { INSTEAD } from "../tools/images/test_engines.ts";
import { buildGround, TREE } from "./engine_ground.ts";
import { atMost, type Figure, informs } from "./figures.ts";
import { PodMemory } from "./pod_memory.ts";

const SMALL = { files: 50, bytes: 40_000 };
const TEN = Array.from({ length: 10 }, (_, i) => `small-${i}`);
/** As Velero's node agent is told it; Holdfast does so unless it is told otherwise. */
const FOUR = { loadConcurrency: { globalConfig: 4 } };
/** Each side has a repository of its own, in which nothing of the volumes is yet. */
const PLACES = { theirs: "theirs", theirsByFour: "theirs-by-four", ours: "ours" } as const;
const SCRIPT = "setInterval(() => {}, 1000)";

interface Seconds {
  readonly theirs: number;
  readonly ours: number;
}

/** A real Velero server, with its own node agent and with Holdfast, on one cluster, one volume after the other. */
export async function veleroFigures(say: (line: string) => void): Promise<Figure[]> {
  const name = `bench-${process.pid}`;
  const folder = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  try {
    say("the mover's image, a cluster, and a Velero server");
    const archive = join(folder, "mover.tar");
    await buildImage("mover", archive, { instead: INSTEAD.shipped });
    const { kubeconfig, hostAddress } = await up({ name });
    await load(name, [archive]);
    Object.assign(process.env, {
      HOLDFAST_TEST_KUBECONFIG: kubeconfig,
      HOLDFAST_TEST_CLUSTER: name,
      HOLDFAST_TEST_HOST_ADDRESS: hostAddress,
      HOLDFAST_TEST_MOVER_IMAGE: imageTag("mover"),
    });
    await using there = await VeleroStage.enter();
    await prepare(there);
    return await measure(there, say);
  } finally {
    await down(name);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A server makes a repository with its first backup, whoever moves the data. */
async function prepare(there: VeleroStage): Promise<void> {
  await there.useOurAgent();
  await there.workload();
  for (const place of Object.values(PLACES)) {
    await there.createLocation(place);
    await there.backUp(`first-${place}`, "--storage-location", place);
  }
}

async function measure(there: VeleroStage, say: (line: string) => void): Promise<Figure[]> {
  const theirMemory = new PodMemory(there.world.client);
  const ourMemory = new PodMemory(there.world.client);
  const theirs = (settings?: object) => there.useTheirAgent(settings);

  say("ten small volumes of one pod");
  await tenSmallVolumes(there);
  const ten = await there.world.operator.away(async () => {
    await theirs();
    const one = await theirMemory.during(() => backedUp(there, "ten", PLACES.theirs));
    await theirs(FOUR);
    return { one, four: await backedUp(there, "ten", PLACES.theirsByFour) };
  });
  const theirPods = theirMemory.mostMovers;
  await there.useOurAgent();
  const ourTen = await ourMemory.during(() => backedUp(there, "ten", PLACES.ours));
  const ourPods = ourMemory.mostMovers;

  say("20,000 files, 600 MB");
  await largeVolume(there);
  const theirLarge = await there.world.operator.away(async () => {
    await theirs();
    return theirMemory.during(() => backedUpAndRestored(there, PLACES.theirs));
  });
  await there.useOurAgent();
  const ourLarge = await ourMemory.during(() => backedUpAndRestored(there, PLACES.ours));

  const small = { theirs: ten.one, ours: ourTen };
  const byFour = { theirs: ten.four, ours: ourTen };
  const backup = { theirs: theirLarge.backup, ours: ourLarge.backup };
  const restore = { theirs: theirLarge.restore, ours: ourLarge.restore };
  const memory = { theirs: theirMemory.mostMb, ours: ourMemory.mostMb };
  return [
    ...compared("ten small volumes of one pod, each at its default", small, "s", 0.45),
    ...compared("ten small volumes of one pod, Velero four at once", byFour, "s", 0.8),
    ...compared("20,000 files: first backup", backup, "s", 1),
    ...compared("20,000 files: restore", restore, "s", 0.8),
    informs("memory of Velero's node agent", theirMemory.agentMb, "MB"),
    informs("memory of Holdfast's node agent", ourMemory.agentMb, "MB"),
    ...compared("memory of node agent and largest mover", memory, "MB", 0.8),
    informs("ten small volumes: mover pods at once, Velero", theirPods, ""),
    // Four at work, and those whose end the kubelet has not said yet.
    atMost("ten small volumes: mover pods at once, Holdfast", ourPods, "", 6),
  ];
}

function compared(figure: string, { theirs, ours }: Seconds, unit: string, limit: number): Figure[] {
  return [
    informs(`${figure}: Velero`, theirs, unit),
    informs(`${figure}: Holdfast`, ours, unit),
    atMost(`${figure}: ratio`, ours / theirs, "", limit),
  ];
}

async function backedUpAndRestored(there: VeleroStage, place: string) {
  const backup = await backedUp(there, "large", place);
  await remove("namespace", there.stage.namespace);
  const restore = await timed(() => there.restore(`large-${place}`));
  await there.running("web");
  const files = count(await there.world.folderOf(claimOf(there, "data")));
  if (files !== 20_000) throw new Error(`the restore brought ${files} files back`);
  return { backup, restore };
}

async function backedUp(there: VeleroStage, what: string, place: string): Promise<number> {
  await systemProcesses.run("sync", []);
  return timed(() => there.backUp(`${what}-${place}`, "--storage-location", place));
}

async function tenSmallVolumes(there: VeleroStage): Promise<void> {
  await anew(there);
  for (const claim of TEN) await fill(there, claim, [SMALL]);
  const [first = "", ...more] = TEN;
  await pod(there, first, more);
}

async function largeVolume(there: VeleroStage): Promise<void> {
  await anew(there);
  await fill(there, "data", TREE);
  await pod(there, "data");
}

async function anew({ stage, world }: VeleroStage): Promise<void> {
  await remove("namespace", stage.namespace);
  await world.client.create(Namespaces, { metadata: { name: stage.namespace } });
}

async function fill(there: VeleroStage, claim: string, files: typeof TREE): Promise<void> {
  await there.stage.claim(claim);
  buildGround(await there.world.folderOf(claimOf(there, claim)), files);
}

async function pod(there: VeleroStage, claim: string, more: readonly string[] = []): Promise<Pod> {
  const { stage, world } = there;
  const image = world.moverImage;
  await world.client.create(Pods, podDraft(stage, { name: "web", claim, more, image, script: SCRIPT }));
  return there.running("web");
}

const claimOf = ({ stage: { namespace } }: VeleroStage, name: string) => ({ namespace, name });

/** Without the marks that a restore leaves. */
function count(folder: string): number {
  const found = readdirSync(folder, { recursive: true, withFileTypes: true });
  return found.filter((one) => one.isFile() && !one.parentPath.includes(".velero")).length;
}

async function timed(work: () => Promise<void>): Promise<number> {
  const begun = performance.now();
  await work();
  return (performance.now() - begun) / 1000;
}
