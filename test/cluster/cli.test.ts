import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { treeDifferences } from "../../src/engines/testing/tree.ts";
import { backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { backupScheduleResource } from "../../src/kinds/kopiur/generated/backup_schedule.ts";
import { maintenanceResource } from "../../src/kinds/kopiur/generated/maintenance.ts";
import { Jobs, Pods } from "../../src/kube/builtin.ts";
import type { Draft, KubeObject } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { sleep, systemClock } from "../../src/lib/clock.ts";
import { startPod } from "../scenarios/claim_pod.ts";
import { CliProgram, type Ended } from "../scenarios/cli_program.ts";
import { clusterWorld } from "../scenarios/cluster_world.ts";
import { FILMS, HOUSEHOLD } from "../scenarios/household.ts";
import { Stage } from "../scenarios/stage.ts";
import { SLEEPS, StatefulWorkload } from "../scenarios/stateful_workload.ts";
import { withWorld } from "../scenarios/with_world.ts";
import type { ScenarioWorld } from "../scenarios/world.ts";
import { testKubeconfig } from "./world.ts";

/* The command line on a real cluster, in order: each test goes on where the one before ended. */

const LONG = { timeout: 240_000 };

interface Ground extends AsyncDisposable {
  readonly world: ScenarioWorld;
  readonly cli: CliProgram;
  readonly stage: Stage;
}

let ground: Ground;

withWorld(open, (opened) => {
  ground = opened;
});

async function open(): Promise<Ground> {
  await using stack = new AsyncDisposableStack();
  const folder = stack.adopt(mkdtempSync(join(tmpdir(), "cli-tour-")), (path) =>
    rmSync(path, { recursive: true, force: true }),
  );
  const world = stack.use(await clusterWorld());
  const stage = stack.use(await Stage.enter(world, "kopia"));
  const cli = await CliProgram.bundled({ folder, kubeconfig: testKubeconfig() });
  const kept = stack.move();
  return { world, cli, stage, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

const holdfast = (line: string): Promise<Ended> =>
  ground.cli.run([...line.split(" "), "-n", ground.stage.namespace]);

/** What it prints; it must succeed. */
async function done(line: string): Promise<string> {
  const { code, stdout, stderr } = await holdfast(line);
  expect(`${code}\n${stderr}`, `holdfast ${line}`).toMatch(/^0\n/);
  return stdout;
}

const data = () => ground.stage.describe("data");
/** What was on the volume at the first backup. */
let wanted: Awaited<ReturnType<typeof data>> = [];

test("a volume is not protected, is backed up with progress, and is", LONG, async () => {
  const { stage } = ground;
  await Promise.all([stage.repositoryOnVolume(), stage.filledClaim("data", HOUSEHOLD)]);
  await stage.recipe("data", "repository");
  wanted = await data();
  expect(await done("status")).toMatch(/^data +not yet/m);
  const saved = await holdfast("backup now data --name first");
  expect(saved).toMatchObject({ code: 0, stdout: expect.stringMatching(/^backup\/first succeeded: /) });
  expect(saved.stderr).toMatch(/^backup\/first is made\n(.*\n)*Running(.*\n)*Succeeded\n$/);
  expect(await done("status")).toMatch(/^data +by hand +(\d+[ms])+ ago/m);
  await ground.world.put({ namespace: stage.namespace, name: "data" }, [
    { path: "letters/first.txt", file: { text: "not what was written" } },
    { path: "intruder", file: { text: "was not there" } },
  ]);
  await done("backup now data --name second");
  expect(await done("list")).toMatch(/^second +Succeeded(.*\n)+first +Succeeded/m);
});

test("backups are looked into, and nothing is left of that", LONG, async () => {
  const [listed, shown, fetched, found, differences] = await Promise.all([
    done("ls first letters -o name"),
    done("cat first letters/first.txt"),
    done("download first pictures --to pictures"),
    done("find data first.*"),
    done("diff first second"),
  ]);
  expect(listed).toBe("first.txt\nsecond.txt\n");
  expect(shown).toBe("Dear reader,\n");
  expect(fetched).toMatch(/^2 files, /);
  const { stage, world, cli } = ground;
  const original = await world.folderOf({ namespace: stage.namespace, name: "data" });
  const bytes = (root: string) => readFileSync(join(root, "pictures/a.raw"));
  expect(bytes(cli.folder).equals(bytes(original))).toBe(true);
  expect(found).toMatch(/^letters\/first\.txt +13 B .* first +first +1$/m);
  expect(differences).toContain("~ letters/first.txt (size");
  expect(differences).toContain("+ intruder\n");
  const sessions = await world.client.list(Jobs, {
    namespace: stage.namespace,
    labelSelector: "holdfast.dev/cli-session",
  });
  expect(sessions.items.filter(({ metadata }) => !metadata.deletionTimestamp)).toEqual([]);
});

test("a plan is shown, and only what is confirmed is restored", LONG, async () => {
  const plan = "restore backup/first --to copy --ownership Exact --privileged --name back";
  const asked = await holdfast(plan);
  expect(asked).toMatchObject({ code: 6, stdout: "" });
  expect(asked.stderr).toContain("to    a new claim copy of 100Mi");
  expect(await done(`${plan} --yes`)).toMatch(/^restore\/back is done: /);
  expect(treeDifferences(wanted, await ground.stage.describe("copy"))).toEqual([]);
  expect(await done("explain restore/back")).toMatch(/^Restore back is Completed/);
});

test("schedules and the repository are looked after", LONG, async () => {
  const spec = { configRef: { name: "data" }, schedule: { cron: "0 3 * * *" } };
  await create(backupScheduleResource, "nightly", spec);
  expect(await done("suspend schedule/nightly")).toContain("begins no more runs");
  expect(await done("status")).toContain("schedule/nightly: it is suspended");
  expect(await done("resume schedule/nightly")).toContain("begins runs again");
  expect(await done("maintenance run repository")).toMatch(/^maintenance\/repository: the quick run is done/);
  expect(await done("verify repository")).toMatch(/^the repository is sound: /);
  await ground.stage.until(maintenanceResource, "repository", "Ready");
  const findings = await done("doctor");
  expect(findings).toMatch(/^ok +all 7 kinds are served/m);
  expect(findings).toMatch(/^ok +none of \d+ objects is stuck$/m);
  expect(findings).not.toMatch(/^error/m);
});

const inPlace = "restore backup/first --into data --ownership Exact --privileged --yes";

test("a volume that a pod has is not restored into, and how to is said", LONG, async () => {
  const { stage, world } = ground;
  await startPod(stage, { name: "user", claim: "data", image: world.moverImage, script: SLEEPS });
  await stage.until(Pods, "user", "Running");
  const [plain, scaling] = await Promise.all([
    holdfast(`${inPlace} --name never`),
    holdfast(`${inPlace} --name never --scale-down`),
  ]);
  for (const { code, stderr } of [plain, scaling]) {
    expect(code).toBe(2);
    expect(stderr).toMatch(/error: the claim .*\/data is in use\n {2}why: .*mounted by pod .*\/user/);
  }
  expect(plain.stderr).toContain("fix: Add --scale-down");
  expect(scaling.stderr).toContain("fix: End what uses it.");
  expect(await done("list restores -o name")).toBe("restore.kopiur.home-operations.com/back\n");
  expect(treeDifferences(wanted, await data())).not.toEqual([]);
  await stage.remove(Pods, "user");
});

test(
  "what uses a volume is scaled down for a restore, and back after it failed and after it is done",
  LONG,
  async () => {
    const { stage, world } = ground;
    await using workload = await StatefulWorkload.start(stage, world.moverImage);
    const before = await data();
    const failed = await holdfast(`${inPlace} --scale-down --existing Refuse --name fails`);
    expect(failed).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("error: restore/fails is Failed"),
    });
    expect(treeDifferences(before, await data())).toEqual([]);
    await workload.isBack();
    expect(await done(`${inPlace} --scale-down --delete-extra --name again`)).toMatch(
      /^restore\/again is done/,
    );
    expect(treeDifferences(wanted, await data())).toEqual([]);
    await workload.isBack();
  },
);

test("a run is followed by its log, and cancelled", LONG, async () => {
  const { stage, world } = ground;
  await world.put({ namespace: stage.namespace, name: "copy" }, FILMS);
  await stage.recipe("copy", "repository", {
    mover: { privilegedMode: true, resources: { limits: { cpu: "100m", memory: "1Gi" } } },
  });
  expect(await done("backup now copy --name slow --no-wait")).toBe("backup/slow is made\n");
  await stage.until(backupResource, "slow", "Running", ["Succeeded", "Failed"]);
  await stage.eventually("its mover runs", async () => {
    const { items } = await world.client.list(Pods, {
      namespace: stage.namespace,
      labelSelector: "batch.kubernetes.io/job-name",
    });
    return { done: items.some(({ status }) => status?.phase === "Running"), value: items.length };
  });
  const log = holdfast("logs backup/slow -f");
  // It is to have found the mover before that goes.
  await sleep(systemClock, 1_000);
  expect(await done("cancel backup/slow")).toBe("Backup slow is asked to end.\n");
  expect((await log).code).toBe(0);
  const { status } = await stage.until(backupResource, "slow", "Failed", ["Succeeded"]);
  expect(status?.failure?.message).toMatch(/cancel/i);
  expect(await done("explain backup/slow")).toMatch(/^Backup slow is Failed/);
});

async function create<T extends KubeObject>(
  resource: Resource<T>,
  name: string,
  spec: object,
): Promise<void> {
  const metadata = { namespace: ground.stage.namespace, name };
  await ground.world.client.create(resource, { metadata, spec } as unknown as Draft<T>);
}
