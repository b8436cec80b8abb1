import { afterAll, beforeAll, expect, test } from "vitest";
import { TESTED } from "../../src/cli/doctor/judge_version.ts";
import { backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../src/kinds/kopiur/generated/backup_config.ts";
import crds from "../../src/kinds/kopiur/generated/crds.json" with { type: "json" };
import { repositoryResource } from "../../src/kinds/kopiur/generated/repository.ts";
import { findConfigurations } from "../../src/kube/admission/ca_bundle.ts";
import { isNotFound } from "../../src/kube/api_error.ts";
import { CustomResourceDefinitions, Deployments, Jobs, Namespaces, Pods } from "../../src/kube/builtin.ts";
import type { KubeObject } from "../../src/kube/object.ts";
import programs from "../../tools/programs/programs.json" with { type: "json" };
import { eventually } from "../cluster/world.ts";
import { ended } from "../machine/holdfast_home.ts";
import { DEMO, HOME, RELEASE, type RunningOperator, VersionStage } from "./version_stage.ts";

/*
 * The chart and the operator on a control plane of another version, in order: each test goes on where the one before
 * ended. There is no node: pods stay pending.
 */

const WEBHOOKS = "holdfast-kopiur";
const LONG = { timeout: 300_000 };

let stage: VersionStage;
let operator: RunningOperator;

beforeAll(async () => {
  stage = await VersionStage.enter();
});

afterAll(() => stage[Symbol.asyncDispose]());

interface Conditioned extends KubeObject {
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

test("the API server is of the version that is meant", async () => {
  const pinned: Readonly<Record<string, { readonly version: string }>> = programs;
  expect(await stage.serverVersion()).toBe(`v${pinned[stage.info.apiServer]?.version}`);
});

test("the chart installs, with CRDs that the API server takes as they are", LONG, async () => {
  await stage.release("install");
  await eventually("all CRDs are established", async () => {
    const { items } = await stage.client.list(CustomResourceDefinitions);
    const ours = (items as readonly Conditioned[]).filter(({ metadata }) =>
      crds.some((crd) => crd.metadata.name === metadata.name),
    );
    const conditions = ours.flatMap(({ status }) => status?.conditions ?? []);
    expect(
      conditions.filter(({ type, status }) => type === "NonStructuralSchema" && status === "True"),
    ).toEqual([]);
    const established = conditions.filter(({ type, status }) => type === "Established" && status === "True");
    return established.length === crds.length;
  });
});

test("the operator is ready, with no other rights than the chart grants", LONG, async () => {
  operator = await stage.operator();
  expect((await findConfigurations(stage.client, WEBHOOKS)).length).toBe(2);
});

const recipe = (name: string, spec: object) => ({
  kind: "BackupConfig",
  metadata: { namespace: DEMO, name },
  spec: { repository: { name: "repository" }, sources: [{ pvc: { name: "documents" } }], ...spec },
});

test("what could never work is refused, by the schema's rules and by the webhook", LONG, async () => {
  await stage.apply("volume");
  await expect(stage.put(recipe("never", { sources: [{}] }))).rejects.toThrow(
    "exactly one of pvc, pvcSelector must be set",
  );
  const never = { kind: "BackupSchedule", metadata: { namespace: DEMO, name: "never" } };
  const spec = { configRef: { name: "documents" }, schedule: { cron: "61 * * * *" } };
  await expect(stage.put({ ...never, spec })).rejects.toThrow(
    /admission webhook .* denied the request: .*61/,
  );
});

test("what is left out is filled in by the webhook", LONG, async () => {
  const written = await stage.put({
    kind: "Restore",
    metadata: { namespace: DEMO, name: "filled-in" },
    spec: {
      source: { backupRef: { name: "documents-first" } },
      target: { pvc: { name: "new", capacity: "1Gi", accessModes: ["ReadWriteOnce"] } },
    },
  });
  expect(JSON.stringify(written)).toContain('"onMissingSnapshot":"Fail"');
});

test("a backup is taken as far as it goes without a node", LONG, async () => {
  await stage.put({
    kind: "Secret",
    metadata: { namespace: DEMO, name: "repository-password" },
    stringData: { KOPIA_PASSWORD: "correct horse" },
  });
  await stage.apply("repository");
  await stage.apply("backup");
  await eventually("the pod of the Repository's run waits for a node", async () => {
    const { items } = await stage.client.list(Pods, { namespace: DEMO });
    return items.some(({ status }) => status?.phase === "Pending");
  });
  const { items: jobs } = await stage.client.list(Jobs, { namespace: DEMO });
  expect(jobs.map(({ spec }) => spec?.suspend ?? false)).toEqual([false]);
  const demo = { namespace: DEMO };
  await eventually("the objects say what they wait for", async () => {
    const repository = await stage.client.get(repositoryResource, { ...demo, name: "repository" });
    const backup = await stage.client.get(backupResource, { ...demo, name: "documents-first" });
    return repository.status?.phase === "Initializing" && backup.status?.phase === "Pending";
  });
  const config = await stage.client.get(backupConfigResource, { ...demo, name: "documents" });
  expect(config.status?.conditions?.find(({ type }) => type === "Ready")).toMatchObject({ status: "False" });
});

test("the operator was refused nothing", () => {
  expect(operator.output.filter((line) => /forbidden|ERROR|deprecated/i.test(line))).toEqual([]);
});

test(
  "the doctor finds nothing but what the cluster lacks, and a version that is not tested",
  LONG,
  async () => {
    const version = await stage.serverVersion();
    const minor = Number(version.split(".")[1]);
    const isTested = TESTED.includes(minor);
    const { code, stdout } = await stage.holdfast("doctor", "-o", "json");
    const findings = JSON.parse(stdout) as readonly { readonly level: string; readonly what: string }[];
    expect(findings.filter(({ level }) => level !== "ok").map(({ what }) => what)).toEqual([
      ...(isTested ? [] : [`Holdfast is not tested with Kubernetes ${version}`]),
      "there is no storage class",
    ]);
    expect(code).toBe(1);
  },
);

test("the chart is upgraded and rolled back, and the operator works on", LONG, async () => {
  await stage.release("upgrade", { "podAnnotations.upgraded": "yes" });
  expect(await stage.podAnnotations()).toEqual({ upgraded: "yes" });
  await stage.helm("rollback", RELEASE, "1");
  expect(await stage.podAnnotations()).toEqual({});
  const history = JSON.parse(await stage.helm("history", RELEASE, "-o", "json")) as readonly unknown[];
  expect(history).toHaveLength(3);
  await stage.put(recipe("after-rollback", {}));
  await eventually("the operator looks at what is new", async () => {
    const name = { namespace: DEMO, name: "after-rollback" };
    return (await stage.client.get(backupConfigResource, name)).status?.observedGeneration === 1;
  });
});

test("an uninstall leaves all objects, and nothing that waits for the operator", LONG, async () => {
  await stage.helm("uninstall", RELEASE);
  await ended(operator.child, "SIGTERM");
  await stage.cleanUp();
  expect(await findConfigurations(stage.client, WEBHOOKS)).toEqual([]);
  expect((await stage.client.list(Deployments, { namespace: HOME })).items).toEqual([]);
  const { items } = await stage.client.list(backupResource, { namespace: DEMO });
  expect(items.map(({ metadata }) => [metadata.name, metadata.finalizers ?? []])).toEqual([
    ["documents-first", []],
  ]);
  const gone = { namespace: DEMO, name: "documents-first" };
  await stage.client.delete(backupResource, gone);
  await expect(stage.client.get(backupResource, gone)).rejects.toSatisfy(isNotFound);
  await stage.client.delete(Namespaces, { name: DEMO });
  await eventually(
    "the namespace is gone",
    async () => {
      const { items } = await stage.client.list(Namespaces);
      return items.every(({ metadata }) => metadata.name !== DEMO);
    },
    90,
  );
});
