import { afterAll, beforeAll, expect, test } from "vitest";
import { ReplicationDestinations, ReplicationSources } from "../../../src/kinds/plumber/volsync.ts";
import { Deployments, Namespaces, PersistentVolumeClaims } from "../../../src/kube/builtin.ts";
import type { Draft, KubeObject } from "../../../src/kube/object.ts";
import type { Resource } from "../../../src/kube/resource.ts";
import { installCrds } from "../../scenarios/install_crds.ts";
import { VOLSYNC_CRDS } from "../../scenarios/volsync_crds.ts";
import { CliGround } from "./cli_ground.ts";

/* The handover of VolSync's objects, before an API server that has its CRDs. */

let ground: CliGround;
const namespace = "media";

beforeAll(async () => {
  ground = await CliGround.open();
  await installCrds(ground.client, VOLSYNC_CRDS, new AbortController().signal);
  while (!(await ground.client.serves(ReplicationDestinations))) await new Promise(setImmediate);
  await ground.client.create(Namespaces, { metadata: { name: namespace } });
  for (const name of ["data", "inline"]) {
    await ground.client.create(PersistentVolumeClaims, {
      metadata: {
        namespace,
        name,
        labels: {
          "pvc-plumber.io/enabled": "true",
          "pvc-plumber.io/manage-volsync": "true",
          "pvc-plumber.io/tier": "daily",
        },
      },
      spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
    });
  }
}, 60_000);

afterAll(() => ground[Symbol.asyncDispose]());

async function put(name: string, labels: Readonly<Record<string, string>>): Promise<void> {
  const spec = { sourcePVC: name, trigger: { schedule: "0 * * * *" }, kopia: { repository: "kopia" } };
  const draft = { metadata: { namespace, name, labels }, spec } as Draft<KubeObject>;
  await ground.client.create(ReplicationSources, draft);
}

const labelsOf = async (name: string) =>
  (await ground.client.get(ReplicationSources, { namespace, name })).metadata.labels ?? {};

test("a plan, its confirmation, the handover and the way back", async () => {
  expect(await ground.run(`adopt plan --volsync -n ${namespace}`)).toMatchObject({
    code: 0,
    stdout: "No object of a PVC is here to adopt.\n",
  });
  await put("data", { team: "a" });
  await put("inline", { "app.kubernetes.io/managed-by": "argocd" });
  const { code, stdout } = await ground.run(`adopt plan --volsync -n ${namespace}`);
  expect(code).toBe(0);
  expect(stdout).toContain("✓ ReplicationSource media/data for PVC data");
  expect(stdout).toContain("✗ ReplicationSource media/inline: Argo CD deploys it.");
  expect(await labelsOf("data")).toEqual({ team: "a" });

  expect(await ground.run(`adopt apply --volsync -n ${namespace}`)).toMatchObject({ code: 6 });
  expect(await labelsOf("data")).toEqual({ team: "a" });
  expect(await ground.run(`adopt apply data -n ${namespace} --yes`)).toMatchObject({ code: 2 });
  expect(await labelsOf("data")).toEqual({ team: "a" });
  expect(await ground.run(`adopt apply inline -n ${namespace} --yes`)).toMatchObject({ code: 2 });
  expect(await ground.run(`adopt apply nothing -n ${namespace} --yes`)).toMatchObject({ code: 3 });

  expect(await ground.run(`adopt apply --volsync -n ${namespace} --yes`)).toMatchObject({
    code: 0,
    stdout: "ReplicationSource media/data is the operator's own now\n",
  });
  expect(await labelsOf("data")).toMatchObject({ team: "a", "app.kubernetes.io/managed-by": "pvc-plumber" });
  expect(await labelsOf("inline")).toEqual({ "app.kubernetes.io/managed-by": "argocd" });
  expect(await ground.run(`adopt apply data --volsync -n ${namespace} --yes`)).toMatchObject({
    code: 0,
    stdout: "",
  });

  expect(await ground.run(`adopt undo -n ${namespace}`)).toMatchObject({ code: 6 });
  expect(await ground.run(`adopt undo data -n ${namespace} --yes`)).toMatchObject({ code: 0 });
  expect(await labelsOf("data")).toEqual({ team: "a" });
  expect(await ground.run(`adopt undo -n ${namespace} --yes`)).toMatchObject({ code: 3 });
});

test("a plan for programs", async () => {
  const { stdout } = await ground.run(`adopt plan inline --owner-gone --volsync -n ${namespace} -o json`);
  expect(JSON.parse(stdout)).toEqual({
    steps: [{ kind: "ReplicationSource", namespace, name: "inline", pvc: "inline", verdict: "adopt" }],
  });
});

test("the inventory names every PVC with the owner of its objects and the workloads that use it", async () => {
  const volumes = [{ name: "v", persistentVolumeClaim: { claimName: "inline" } }];
  const template = { metadata: { labels: { app: "a" } }, spec: { containers: [], volumes } };
  const spec = { selector: { matchLabels: { app: "a" } }, template };
  const draft = { metadata: { namespace, name: "web" }, spec } as unknown as Draft<KubeObject>;
  await ground.client.create(Deployments as Resource, draft);
  const { code, stdout } = await ground.run(`coverage --inventory -n ${namespace}`);
  expect(code).toBe(0);
  const [head, ...rows] = stdout.trimEnd().split("\n");
  expect(head).toMatch(/^NAMESPACE +PVC +APP +USED BY +OWNER +SOURCE +RESTORE +REPOSITORY +IDENTITY/);
  const inline = rows.find((row) => row.includes(" inline "));
  expect(inline).toMatch(
    /^media +inline +- +Deployment\/web +argocd +inline +inline-dst +Secret kopia +media\/inline/,
  );
  expect(rows).toHaveLength(2);
  const { volumes: all } = JSON.parse(
    (await ground.run(`coverage --inventory -o json -n ${namespace}`)).stdout,
  );
  expect(all).toContainEqual(
    expect.objectContaining({ pvc: "inline", tier: "daily", size: "1Gi", uid: "default", mode: "default" }),
  );
});
