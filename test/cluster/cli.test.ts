import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { OWNER_LABEL, ownerLabel } from "../../src/core/work/run_labels.ts";
import { treeDifferences } from "../../src/engines/testing/tree.ts";
import { backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { Jobs, Pods } from "../../src/kube/builtin.ts";
import { CliProgram, type Ended } from "../scenarios/cli_program.ts";
import { clusterWorld } from "../scenarios/cluster_world.ts";
import { FILMS, HOUSEHOLD } from "../scenarios/household.ts";
import { Stage } from "../scenarios/stage.ts";
import { StatefulWorkload } from "../scenarios/stateful_workload.ts";
import { withWorld } from "../scenarios/with_world.ts";
import type { ScenarioWorld } from "../scenarios/world.ts";
import { testKubeconfig } from "./world.ts";

/*
 * What of the command line only a real cluster proves, in order: each test goes on where the one before ended. The rest
 * is in test/machine/cli.test.ts.
 */

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

const holdfast = (line: string, heard?: (printed: string) => void): Promise<Ended> =>
  ground.cli.run([...line.split(" "), "-n", ground.stage.namespace], heard);

/** What it prints; it must succeed. */
async function done(line: string): Promise<string> {
  const { code, stdout, stderr } = await holdfast(line);
  expect(`${code}\n${stderr}`, `holdfast ${line}`).toMatch(/^0\n/);
  return stdout;
}

const data = () => ground.stage.describe("data");
/** What was on the volume when it was backed up. */
let wanted: Awaited<ReturnType<typeof data>> = [];

test("a volume is not protected, is backed up with progress, and is", LONG, async () => {
  const { stage } = ground;
  await Promise.all([
    stage.repositoryOnVolume(),
    stage.filledClaim("data", HOUSEHOLD),
    stage.filledClaim("films", FILMS),
  ]);
  await stage.recipe("data", "repository");
  wanted = await data();
  expect(await done("status")).toMatch(/^data +not yet/m);
  const saved = await holdfast("backup now data --name first");
  expect(saved).toMatchObject({ code: 0, stdout: expect.stringMatching(/^backup\/first succeeded: /) });
  expect(saved.stderr).toMatch(/^backup\/first is made\n(.*\n)*Running(.*\n)*Succeeded\n$/);
  expect(await done("status")).toMatch(/^data +by hand +(\d+[ms])+ ago/m);
});

test("a backup is looked into, and nothing is left of that", LONG, async () => {
  const [shown, fetched] = await Promise.all([
    done("cat first letters/first.txt"),
    done("download first pictures --to pictures"),
  ]);
  expect(shown).toBe("Dear reader,\n");
  expect(fetched).toMatch(/^2 files, /);
  const { stage, world, cli } = ground;
  const original = await world.folderOf({ namespace: stage.namespace, name: "data" });
  const bytes = (root: string) => readFileSync(join(root, "pictures/a.raw"));
  expect(bytes(cli.folder).equals(bytes(original))).toBe(true);
  const sessions = await world.client.list(Jobs, {
    namespace: stage.namespace,
    labelSelector: "holdfast.dev/cli-session",
  });
  expect(sessions.items.filter(({ metadata }) => !metadata.deletionTimestamp)).toEqual([]);
});

test("the doctor finds nothing wrong", LONG, async () => {
  const findings = await done("doctor");
  expect(findings).toMatch(/^ok +all 7 kinds of kopiur are served/m);
  expect(findings).toMatch(/^ok +none of \d+ objects? is stuck$/m);
  expect(findings).not.toMatch(/^error/m);
});

test(
  "a volume in use is restored only when that is confirmed, with what uses it scaled down",
  LONG,
  async () => {
    const { stage, world } = ground;
    await world.put({ namespace: stage.namespace, name: "data" }, [
      { path: "letters/first.txt", file: { text: "not what was written" } },
      { path: "intruder", file: { text: "was not there" } },
    ]);
    await using workload = await StatefulWorkload.start(stage, world.moverImage);
    const plan = "restore backup/first --into data --delete-extra --ownership Exact --privileged --name back";
    const [unasked, refused] = await Promise.all([
      holdfast(`${plan} --scale-down`),
      holdfast(`${plan} --yes`),
    ]);
    expect(unasked).toMatchObject({ code: 6, stdout: "" });
    expect(unasked.stderr).toMatch(/^ {2}pods {2}.* what they belong to is scaled down/m);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(
      /error: the claim .*\/data is in use\n {2}why: .*in use by pod .*\/keeper-0/,
    );
    expect(refused.stderr).toContain("fix: Add --scale-down");
    expect(await done("list restores")).toMatch(/^There are no restores/);
    expect(treeDifferences(wanted, await data())).not.toEqual([]);

    expect(await done(`${plan} --scale-down --yes`)).toMatch(/^restore\/back is done: /);
    expect(treeDifferences(wanted, await data())).toEqual([]);
    await workload.isBack();
    expect(await done("explain restore/back")).toMatch(/^Restore back is Completed/);
  },
);

test("a run is followed by its log, and cancelled", LONG, async () => {
  const { stage, world } = ground;
  await stage.recipe("films", "repository", {
    mover: { privilegedMode: true, resources: { limits: { cpu: "100m", memory: "1Gi" } } },
  });
  expect(await done("backup now films --name slow --no-wait")).toBe("backup/slow is made\n");
  const { metadata } = await stage.until(backupResource, "slow", "Running", ["Succeeded", "Failed"]);
  await stage.eventually("its mover is there", async () => {
    const labelSelector = `${OWNER_LABEL}=${ownerLabel(metadata)}`;
    const { items } = await world.client.list(Pods, { namespace: stage.namespace, labelSelector });
    return { done: items.length > 0, value: items.length };
  });
  const said = Promise.withResolvers<void>();
  // Its progress is a line of its own only where all is shown as it is.
  const log = holdfast("logs backup/slow -f --raw", () => said.resolve());
  await Promise.race([said.promise, log]);
  expect(await done("cancel backup/slow")).toBe("Backup slow is asked to end.\n");
  const { code, stdout, stderr } = await log;
  expect([code, stderr]).toEqual([1, expect.stringContaining("error: Backup slow has failed")]);
  expect(stdout).toMatch(/^\{"progress":.*"step":"Connecting"/);
  const { status } = await stage.until(backupResource, "slow", "Failed", ["Succeeded"]);
  expect(status?.failure?.message).toMatch(/cancel/i);
  expect(await done("explain backup/slow")).toMatch(/^Backup slow is Failed/);
});
