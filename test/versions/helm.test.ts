import { afterAll, beforeAll, expect, test } from "vitest";
import { Deployments } from "../../src/kube/builtin.ts";
import { pinnedProgram } from "../../tools/cluster/programs.ts";
import { HOME, RELEASE, VersionStage } from "./version_stage.ts";

/* A release that one version of Helm made, and another takes over. */

const [OLD, NEW] = [pinnedProgram("helm"), pinnedProgram("helm-4")];
const LONG = { timeout: 300_000 };

let stage: VersionStage;
beforeAll(async () => {
  stage = await VersionStage.enter();
});
afterAll(() => stage[Symbol.asyncDispose]());

test("the two are what they are taken for", async () => {
  expect(await stage.helmOf(OLD, "version", "--short")).toMatch(/^v3\./);
  expect(await stage.helmOf(NEW, "version", "--short")).toMatch(/^v4\./);
});

test("a release of Helm 3 is upgraded, rolled back and removed by Helm 4", LONG, async () => {
  await stage.release("install", { "podAnnotations.by": "old" }, OLD);
  await stage.release("upgrade", { "podAnnotations.by": "new", "podAnnotations.more": "yes" }, NEW);
  expect(await stage.podAnnotations()).toEqual({ by: "new", more: "yes" });
  await stage.helmOf(NEW, "rollback", RELEASE, "1");
  expect(await stage.podAnnotations()).toEqual({ by: "old" });
  await stage.helmOf(NEW, "uninstall", RELEASE);
  expect((await stage.client.list(Deployments, { namespace: HOME })).items).toEqual([]);
});

test(
  "Helm 3 goes on with a release of Helm 4, and with the CRDs that the one before left",
  LONG,
  async () => {
    await stage.release("install", { "podAnnotations.by": "new" }, NEW);
    await stage.release("upgrade", { "podAnnotations.by": "old" }, OLD);
    expect(await stage.podAnnotations()).toEqual({ by: "old" });
    await stage.helmOf(OLD, "uninstall", RELEASE);
    expect((await stage.client.list(Deployments, { namespace: HOME })).items).toEqual([]);
  },
);
