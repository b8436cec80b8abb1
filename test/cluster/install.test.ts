import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { VolumePopulators } from "../../src/core/volumes/populator/register_populator.ts";
import { bundledCrds } from "../../src/embedded/kinds/bundled_crds.ts";
import { describeTree, type FoundEntry, treeDifferences } from "../../src/engines/testing/tree.ts";
import { SNAPSHOT_CLEANUP } from "../../src/kinds/kopiur/finalizers.ts";
import { backupResource } from "../../src/kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../src/kinds/kopiur/generated/backup_config.ts";
import { backupScheduleResource } from "../../src/kinds/kopiur/generated/backup_schedule.ts";
import crds from "../../src/kinds/kopiur/generated/crds.json" with { type: "json" };
import { repositoryResource } from "../../src/kinds/kopiur/generated/repository.ts";
import { restoreResource } from "../../src/kinds/kopiur/generated/restore.ts";
import { KINDS } from "../../src/kinds/kopiur/kinds.ts";
import { findConfigurations } from "../../src/kube/admission/ca_bundle.ts";
import { lookAtAdoption, lookAtCrds } from "../../src/kube/adoption/look_at_adoption.ts";
import { ApiError, isNotFound } from "../../src/kube/api_error.ts";
import {
  CustomResourceDefinitions,
  Deployments,
  Jobs,
  Namespaces,
  Pods,
  Secrets,
} from "../../src/kube/builtin.ts";
import { createAuthority, issueServerCertificate } from "../../src/kube/certificates/certificates.ts";
import type { KubeObject } from "../../src/kube/object.ts";
import { type Resource, resourceName } from "../../src/kube/resource.ts";
import { systemClock as clock } from "../../src/lib/clock.ts";
import { systemRandom as random } from "../../src/lib/random.ts";
import { messageOf } from "../../src/lib/result.ts";
import { imageTag } from "../../tools/images/images.ts";
import { EngineByHand } from "../scenarios/engine_by_hand.ts";
import { FILMS, HOUSEHOLD } from "../scenarios/household.ts";
import { keptByHand } from "../scenarios/kept_by_hand.ts";
import { CHART, DEMO, HOME, InstallStage, TAKING_OVER } from "./install_stage.ts";
import { namespacesGone } from "./namespaces_gone.ts";
import { olderChart, statusFields } from "./older_chart.ts";
import { eventually } from "./world.ts";

/* The chart on a real cluster, from its first day to its last, in order: each test goes on where the one before ended. */

interface PodDisruptionBudget extends KubeObject {
  readonly status?: { readonly expectedPods?: number; readonly currentHealthy?: number };
}
const PodDisruptionBudgets: Resource<PodDisruptionBudget> = {
  group: "policy",
  version: "v1",
  kind: "PodDisruptionBudget",
  plural: "poddisruptionbudgets",
  namespaced: true,
};

interface NetworkPolicy extends KubeObject {
  readonly spec: {
    readonly podSelector: { readonly matchLabels: Readonly<Record<string, string>> };
    readonly ingress: readonly { readonly ports: readonly { readonly port: string }[] }[];
  };
}
const NetworkPolicies: Resource<NetworkPolicy> = {
  group: "networking.k8s.io",
  version: "v1",
  kind: "NetworkPolicy",
  plural: "networkpolicies",
  namespaced: true,
};

let stage: InstallStage;
const LONG = { timeout: 600_000 };
const OPERATORS = "app.kubernetes.io/component=operator";
const WEBHOOKS = "holdfast-kopiur";
const PASSWORD = "correct horse";
/** Where images come from that have no registry in their names: other names of the same images. */
const MIRROR = "docker.io";

const backupCrd = { name: resourceName(backupResource) };
/** Fields of a Backup's status that earlier CRDs did not have. */
const [NEW, NEWER] = ["losses", "orphaned"] as const;
const AGED = [NEW, NEWER].map((field) => ({
  op: "remove" as const,
  path: `/spec/versions/0/schema/openAPIV3Schema/properties/status/properties/${field}`,
}));

beforeAll(async () => {
  stage = await InstallStage.enter();
  const definition = bundledCrds.find(({ metadata }) => metadata.name.startsWith("volumepopulators."));
  if (definition)
    await stage.client.apply(CustomResourceDefinitions, definition, { fieldManager: "install-test" });
}, 300_000);

afterAll(async () => {
  await stage.client.delete(Namespaces, { name: DEMO });
  await namespacesGone(stage.client);
  await stage
    .helm("uninstall", "holdfast", "--ignore-not-found", "--wait", "--timeout", "120s")
    .catch(() => {});
  await stage.client.delete(CustomResourceDefinitions, { name: resourceName(VolumePopulators) });
  await stage.client.delete(Namespaces, { name: HOME });
  await namespacesGone(stage.client);
  await stage[Symbol.asyncDispose]();
}, 300_000);

test("CRDs of somebody else stop the install, are left alone as asked, or handed over", LONG, async () => {
  await stage.guide.follow("--server-side");
  await expect(stage.release("install")).rejects.toThrow(
    /restores.kopiur.home-operations.com exist already and belong to somebody else, so they are not touched/,
  );
  const skipped = await stage.release("install", { "crds.foreign": "skip" }, ["--dry-run=server"]);
  expect(skipped).toContain("The API kopiur is NOT served");
  // The operator, and the Job after it: webhooks of earlier days may be left.
  expect(skipped.match(/name: HOLDFAST_APIS\n\s+value: "none"/g)).toHaveLength(2);
  expect(skipped).toContain("helm.sh/hook: post-delete");
  expect(skipped).not.toContain("kind: CustomResourceDefinition");
  const before = await stage.client.get(CustomResourceDefinitions, backupCrd);
  await stage.release("install", { "crds.foreign": "skip" });
  expect(await operators()).toHaveLength(2);
  expect(await configurations()).toBe(0);
  await stage.uninstall();
  expect(await stage.client.get(CustomResourceDefinitions, backupCrd)).toEqual(before);
  expect(await lookAtCrds(stage.client, { kinds: KINDS })).toEqual([]);
  const adopt = "crds.foreign=adopt";
  const adopted = await stage.guide.follow(adopt, { [adopt]: `${adopt} --dry-run=server` });
  expect(adopted).toContain("The API kopiur uses CRDs of another owner: backupconfigs.");
  expect(adopted).toMatch(/name: HOLDFAST_ADOPT_CRDS\n\s+value: "on"/);
  expect(adopted).not.toContain("kind: CustomResourceDefinition");
  const applied = { installCRDs: "false" };
  const served = await stage.release("install", applied, ["--dry-run=server"]);
  expect(served).toMatch(/name: HOLDFAST_APIS\n\s+value: "kopiur"/);
  await hand("another");
  await expect(stage.release("install", applied, ["--dry-run=server"])).rejects.toThrow(
    /restores.kopiur.home-operations.com exist already and belong to somebody else, so they are not touched/,
  );
  await stage.client.patch(CustomResourceDefinitions, backupCrd, { type: "json", patch: AGED });
  await hand("holdfast");
});

test("an earlier chart installs, and a volume is backed up and restored", LONG, async () => {
  const chart = olderChart(CHART, join(stage.guide.folder, "earlier"), NEWER);
  await stage.release(
    "install",
    { "networkPolicy.enabled": "true", "image.registry": MIRROR },
    TAKING_OVER,
    chart,
  );
  expect(await backupFields()).toEqual([NEW]);
  expect(await configurations()).toBe(2);
  await eventually("Restores are registered as sources of data", async () => {
    return (await populators()).includes(restoreResource.kind);
  });
  await stage.apply("volume");
  await password(DEMO);
  await stage.fill("documents", HOUSEHOLD);
  await stage.apply("repository");
  await stage.until(repositoryResource, "repository", "Ready");
  await stage.apply("backup");
  await stage.until(backupResource, "documents-first", "Succeeded");
  await restore("first-again", "documents-first");
});

test(
  "one replica may be drained at a time, and the network policy is for the operator's pods alone",
  LONG,
  async () => {
    const name = { namespace: HOME, name: "holdfast" };
    await eventually("the disruption budget has counted", async () => {
      const { status } = await stage.client.get(PodDisruptionBudgets, name);
      return status?.expectedPods === 2 && status.currentHealthy === 2;
    });
    expect(await stage.client.get(PodDisruptionBudgets, name)).toMatchObject({
      status: { desiredHealthy: 1, disruptionsAllowed: 1 },
    });
    const { spec } = await stage.client.get(NetworkPolicies, name);
    const labelSelector = Object.entries(spec.podSelector.matchLabels)
      .map(([key, value]) => `${key}=${value}`)
      .join(",");
    const selected = (await stage.client.list(Pods, { labelSelector })).items;
    expect(selected.map(({ metadata }) => metadata.uid).toSorted()).toEqual(
      (await operators()).map(({ uid }) => uid).toSorted(),
    );
    const named = selected.flatMap(({ spec }) => spec?.containers.flatMap(({ ports = [] }) => ports) ?? []);
    for (const { ports } of spec.ingress) {
      for (const { port } of ports) expect(named.filter((one) => one.name === port)).toHaveLength(2);
    }
  },
);

test("what could never work is refused at the door", LONG, async () => {
  await neverRefused();
});

test("an upgrade brings newer CRDs, and leaves a backup that runs alone, as a kill does", LONG, async () => {
  await stage.fill("documents", FILMS);
  // Slow enough to be at work for the whole of it.
  await stage.put({
    kind: "BackupConfig",
    metadata: { namespace: DEMO, name: "slowly" },
    spec: {
      repository: { name: "repository" },
      sources: [{ pvc: { name: "documents" } }],
      copyMethod: "Direct",
      mover: { resources: { limits: { cpu: "20m", memory: "1Gi" } } },
    },
  });
  await stage.put({
    kind: "Backup",
    metadata: { namespace: DEMO, name: "during-upgrade" },
    spec: { configRef: { name: "slowly" } },
  });
  const running = await stage.until(backupResource, "during-upgrade", "Running");
  const before = await operators();
  await stage.release("upgrade", { "crds.foreign": "adopt" });
  // Helm waits for the new replicas, not for the end of the old ones.
  await eventually(
    "no replica of before is left",
    async () => (await operators()).every((pod) => before.every(({ uid }) => pod.uid !== uid)),
    180,
  );
  const after = await operators();
  expect(await backupFields()).toEqual([NEW, NEWER]);
  const { spec } = await stage.client.get(Deployments, { namespace: HOME, name: "holdfast" });
  expect(spec?.template.spec?.containers.map(({ image }) => image)).toEqual([imageTag("operator")]);
  // Its Job is still there, for it is at work.
  const { items } = await stage.client.list(Jobs, { namespace: DEMO });
  const images = items
    .filter(({ metadata }) => metadata.name === running.status?.job?.name)
    .flatMap(({ spec }) => spec?.template.spec?.containers.map(({ image }) => image));
  expect(images).toEqual([`${MIRROR}/${imageTag("mover")}`]);
  expect(after.filter((pod) => before.some(({ uid }) => pod.uid === uid))).toEqual([]);
  // All at once, and without a word: nobody gives the lease back.
  for (const { name } of after)
    await stage.client.delete(Pods, { namespace: HOME, name }, { gracePeriodSeconds: 0 });
  const { status } = await stage.until(backupResource, "during-upgrade", "Succeeded");
  expect(status?.job).toMatchObject({ runID: running.status?.job?.runID, attempts: 1 });
  expect(status?.snapshots).toHaveLength(1);
  expect((await operators()).filter((pod) => after.some(({ uid }) => pod.uid === uid))).toEqual([]);
  const [first = ""] = after.map(({ creationTimestamp }) => creationTimestamp).toSorted();
  expect(Date.parse(status?.timing?.endTime ?? "")).toBeGreaterThan(Date.parse(first));
  // The operator's own writes are not another controller's.
  const kinds = KINDS.filter(({ resource }) => resource.namespaced);
  expect(await lookAtAdoption(stage.client, { kinds, namespace: DEMO })).toEqual([]);
  const example = {
    "namespace: billing": `namespace: ${DEMO}`,
    "postgres-data-20260523-021300": "during-upgrade",
    "storageClassName: fast-ssd": "",
  };
  // Who leads goes on with the work before the webhooks of its pod are served.
  await eventually(
    "the webhooks answer again",
    () =>
      stage.example("03-restore-by-backup", example).then(
        () => true,
        (error: unknown) => {
          if (error instanceof ApiError && error.code === 500) return false;
          throw error;
        },
      ),
    180,
  );
  await restored("postgres-restore-yesterday", "postgres-data-restored");
});

test("a rollback goes on with what is there", LONG, async () => {
  await stage.rollback(1);
  await stage.example("06-manual-backup", { billing: DEMO, "postgres-data": "documents" });
  await stage.until(backupResource, "documents-pre-migration", "Succeeded");
});

test("the operator writes nothing where it must not, whatever its roles say", LONG, async () => {
  const metadata = { namespace: "kube-system", name: "no" };
  const job = {
    metadata,
    spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "b" }] } } },
  };
  const operator = await stage.asOperator();
  await expect(operator.create(Jobs, job as never, { dryRun: true })).rejects.toThrow(
    /rbac.protectedNamespaces/,
  );
  const here = { ...job, metadata: { ...metadata, namespace: DEMO } };
  await operator.create(Jobs, here as never, { dryRun: true });
});

test("an uninstall leaves all objects, and nothing that waits for the operator", LONG, async () => {
  const before = await names();
  await stage.uninstall();
  expect(await configurations()).toBe(0);
  expect(await populators()).toEqual([]);
  expect((await stage.client.list(Deployments, { namespace: HOME })).items).toEqual([]);
  expect(await names()).toEqual(before);
  const definitions = (await stage.client.list(CustomResourceDefinitions)).items.map(
    ({ metadata }) => metadata.name,
  );
  expect(definitions).toEqual(expect.arrayContaining(crds.map(({ metadata }) => metadata.name)));
  const { items } = await stage.client.list(backupResource, { namespace: DEMO });
  expect(items.flatMap(({ metadata }) => metadata.finalizers ?? [])).toEqual([]);
  const gone = { namespace: DEMO, name: "documents-pre-migration" };
  await stage.client.delete(backupResource, gone);
  await expect(stage.client.get(backupResource, gone)).rejects.toSatisfy(isNotFound);
});

test("installed again, as the guide says, it goes on where it was, and nothing is lost", LONG, async () => {
  const said = await stage.guide.follow("--create-namespace");
  for (const { metadata } of crds) expect(said).toContain(metadata.name);
  expect(await backupFields()).toEqual([NEW, NEWER]);
  await neverRefused();
  await eventually(
    "Backups are held again",
    async () => {
      const { metadata } = await stage.client.get(backupResource, {
        namespace: DEMO,
        name: "documents-first",
      });
      return metadata.finalizers?.includes(SNAPSHOT_CLEANUP) ?? false;
    },
    60,
  );
  await restore("kept-through-all", "documents-first", "first-again");
});

test("a release that is not to serve the API any more takes its webhooks back", LONG, async () => {
  expect(await configurations()).toBe(2);
  await hand("another");
  await stage.revalue("crds.foreign=skip");
  await eventually("nobody is asked any more", async () => (await configurations()) === 0, 180);
  await hand("holdfast");
  await stage.revalue("crds.foreign=stop");
  await eventually("the webhooks are there again", async () => (await configurations()) === 2, 180);
});

test(
  "an uninstall takes the CRDs and all objects along if it is told to, and leaves the snapshots",
  LONG,
  async () => {
    const key = { namespace: DEMO, name: "documents-first" };
    const { status } = await stage.client.get(backupResource, key);
    await stage.revalue("crds.keep=false");
    await stage.uninstall();
    const left = (await stage.client.list(CustomResourceDefinitions)).items.map(
      ({ metadata }) => metadata.name,
    );
    expect(left.filter((name) => crds.some(({ metadata }) => metadata.name === name))).toEqual([]);
    const repository = await stage.folderOf("repository");
    using kopia = new EngineByHand({ engine: "kopia", repository, password: PASSWORD });
    const target = join(stage.guide.folder, "by-hand");
    await kopia.restore(status?.snapshot?.kopiaSnapshotID ?? "", target);
    const files = (entries: readonly FoundEntry[]) =>
      keptByHand("kopia", entries).flatMap(({ kind, path }) => (kind === "file" ? [path] : []));
    expect(files(await describeTree(target))).toEqual(files(await stage.content("first-again")));
  },
);

test(
  "an operator of one namespace works there, with a certificate by hand and rights to no other",
  LONG,
  async () => {
    await certificateByHand();
    await stage.guide.follow("webhook.tls.secretName=");
    await eventually(
      "its pods are ready",
      async () => {
        const { status } = await stage.client.get(Deployments, { namespace: HOME, name: "holdfast" });
        return status?.readyReplicas === 2;
      },
      120,
    );
    expect(await configurations(`${WEBHOOKS}-${HOME}`)).toBe(2);
    await neverRefused(HOME);
    await stage.apply("volume", HOME);
    await password(HOME);
    await stage.apply("repository", HOME);
    await stage.until(repositoryResource, "repository", "Ready", HOME);
    await stage.apply("backup", HOME);
    await stage.until(backupResource, "documents-first", "Succeeded", HOME);
    const operator = await stage.asOperator();
    await expect(operator.list(backupResource, { namespace: DEMO })).rejects.toThrow(/forbidden/);
  },
);

test(
  "an upgrade to the whole cluster takes the webhooks of the one namespace back, and only an uninstall leads back to it",
  LONG,
  async () => {
    const former = `${WEBHOOKS}-${HOME}`;
    // Those that are left would trust the authority by hand, which vouches for nobody any more.
    await stage.revalue("installScope=cluster", "webhook.tls.secretName=", "webhook.caBundle=");
    await eventually("the former webhooks are gone", async () => (await configurations(former)) === 0, 180);
    await eventually("the new ones are there", async () => (await configurations()) === 2, 180);
    // A replica of before shows the certificate by hand, which the new webhooks do not trust.
    await eventually(
      "only replicas of the new scope are left",
      async () => {
        const { items } = await stage.client.list(Pods, { namespace: HOME, labelSelector: OPERATORS });
        const scopes = items.map(({ spec }) => spec?.containers[0]?.env?.map(({ name }) => name) ?? []);
        return scopes.length === 2 && scopes.every((names) => !names.includes("HOLDFAST_NAMESPACE"));
      },
      180,
    );
    await neverRefused(HOME);
    await stage.put({
      kind: "Backup",
      metadata: { namespace: HOME, name: "documents-widely" },
      spec: { configRef: { name: "documents" } },
    });
    await stage.until(backupResource, "documents-widely", "Succeeded", HOME);
    await expect(stage.revalue("installScope=namespaced")).rejects.toThrow(/uninstall the release first/);
    await stage.uninstall();
    expect([await configurations(), await configurations(former)]).toEqual([0, 0]);
  },
);

/** Gives the CRDs to a release of this name, as the guide says. */
function hand(owner: string): Promise<string> {
  return stage.guide.follow("kubectl annotate crd", { NEW: owner, NAMESPACE: HOME });
}

/** The kinds that volumes may be filled from, as a validator of data sources knows them. */
async function populators(): Promise<readonly string[]> {
  return (await stage.client.list(VolumePopulators)).items.map(({ sourceKind }) => sourceKind.kind);
}

/** A schedule for a minute that no hour has is refused, once the API server has heard of the webhooks. */
async function neverRefused(namespace = DEMO): Promise<void> {
  const never = {
    metadata: { namespace, name: "never" },
    spec: { configRef: { name: "documents" }, schedule: { cron: "61 * * * *" } },
  };
  await eventually("a webhook refuses what could never work", async () => {
    const tried = stage.client.apply(backupScheduleResource, never, { fieldManager: "tests", dryRun: true });
    const said = await tried.then(() => "", messageOf);
    return /admission webhook .* denied the request: .*61/.test(said);
  });
}

/** Puts a certificate for the webhooks where the guide takes it for granted. */
async function certificateByHand(): Promise<void> {
  const validity = { notBefore: clock.now() - 3_600_000, notAfter: clock.now() + 30 * 86_400_000 };
  const authority = createAuthority({ name: "by hand", validity, random });
  const names = { dns: [`holdfast-webhook.${HOME}.svc`], ip: [] };
  const { cert, key } = issueServerCertificate({ authority, names, validity, random });
  const metadata = { namespace: HOME, name: "holdfast-webhook-tls" };
  const base64 = (text: string) => Buffer.from(text).toString("base64");
  const data = { "tls.crt": base64(cert), "tls.key": base64(key) };
  await stage.client.create(Secrets, { metadata, type: "kubernetes.io/tls", data });
  writeFileSync(join(stage.guide.folder, "ca.crt"), authority.cert);
}

/** Which of the newer fields the cluster's Backups have. */
async function backupFields(): Promise<readonly string[]> {
  const known = statusFields(await stage.client.get(CustomResourceDefinitions, backupCrd));
  return [NEW, NEWER].filter((field) => field in known);
}

async function restore(claim: string, backup: string, like = "documents"): Promise<void> {
  await stage.put({
    kind: "Restore",
    metadata: { namespace: DEMO, name: claim },
    spec: {
      source: { backupRef: { name: backup } },
      target: { pvc: { name: claim, capacity: "2Gi", accessModes: ["ReadWriteOnce"] } },
    },
  });
  await restored(claim, claim, like);
}

async function restored(name: string, claim: string, like = "documents"): Promise<void> {
  await stage.until(restoreResource, name, "Completed");
  expect(treeDifferences(await stage.content(like), await stage.content(claim))).toEqual([]);
}

async function operators() {
  const { items } = await stage.client.list(Pods, { namespace: HOME, labelSelector: OPERATORS });
  return items.map(({ metadata }) => metadata).filter(({ deletionTimestamp }) => !deletionTimestamp);
}

async function configurations(name = WEBHOOKS): Promise<number> {
  return (await findConfigurations(stage.client, name)).length;
}

async function password(namespace: string): Promise<void> {
  const metadata = { namespace, name: "repository-password" };
  await stage.put({ kind: "Secret", metadata, stringData: { KOPIA_PASSWORD: PASSWORD } });
}

async function names(): Promise<readonly string[]> {
  const kinds: readonly Resource[] = [
    repositoryResource,
    backupConfigResource,
    backupResource,
    restoreResource,
  ];
  const lists = await Promise.all(kinds.map((kind) => stage.client.list(kind, { namespace: DEMO })));
  return lists
    .flatMap(({ items }) => items.map(({ kind, metadata }) => `${kind} ${metadata.name}`))
    .toSorted();
}
