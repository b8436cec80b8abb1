import { expect, test } from "vitest";
import { ApiError } from "../../src/kube/api_error.ts";
import { PersistentVolumeClaims } from "../../src/kube/builtin.ts";
import type { Draft, KubeObject } from "../../src/kube/object.ts";
import type { Resource } from "../../src/kube/resource.ts";
import { systemRandom } from "../../src/lib/random.ts";
import { rendered } from "../machine/rendered_chart.ts";
import { clusterWorld } from "../scenarios/cluster_world.ts";
import { plumberScenarios } from "../scenarios/plumber.ts";
import { plumberLostCluster } from "../scenarios/plumber_lost.ts";
import { plumberVolsyncScenarios } from "../scenarios/plumber_volsync.ts";
import { enterWorld, eventually } from "./world.ts";

plumberScenarios(clusterWorld);
plumberVolsyncScenarios(clusterWorld);
plumberLostCluster(clusterWorld);

const admission = (kind: string, plural: string): Resource => ({
  group: "admissionregistration.k8s.io",
  version: "v1",
  kind,
  plural,
  namespaced: false,
});
const POLICIES: readonly Resource[] = [
  admission("ValidatingAdmissionPolicy", "validatingadmissionpolicies"),
  admission("ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings"),
];

test("the API server itself denies wrong values of labels and annotations, without an operator", {
  timeout: 120_000,
}, async () => {
  await using world = await enterWorld("labels");
  const { client, namespace } = world;
  await using stack = new AsyncDisposableStack();
  const chart = rendered({ installScope: "cluster", "apis.plumber.enabled": true });
  const name = `plumber-labels-${systemRandom.hex(4)}`;
  for (const resource of POLICIES) {
    const found = chart.find(
      ({ kind, metadata }) => kind === resource.kind && metadata.name.endsWith("-plumber-labels"),
    );
    const binds = resource.kind.endsWith("Binding") ? { policyName: name } : {};
    const spec = { ...(found?.spec as object), ...binds };
    await client.create(resource, { metadata: { name }, spec } as Draft<KubeObject>);
    stack.defer(async () => void (await client.delete(resource, { name })));
  }

  const answer = async (
    labels: Readonly<Record<string, string>>,
    annotations: Readonly<Record<string, string>> = {},
  ) => {
    const spec = { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Mi" } } };
    const draft = { metadata: { namespace, name: "data", labels, annotations }, spec };
    const refused = await client
      .create(PersistentVolumeClaims, draft, { dryRun: true })
      .then(() => undefined)
      .catch((error: unknown) => error);
    if (refused !== undefined && !(refused instanceof ApiError)) throw refused;
    return refused?.message;
  };
  const wrong = { "pvc-plumber.io/enabled": "yes" };
  // A policy counts some time after it was created.
  await eventually("the policy counts", async () => (await answer(wrong)) !== undefined);
  expect(await answer(wrong)).toContain('pvc-plumber.io/enabled must be "true" or "false"');
  expect(await answer({ "pvc-plumber.io/tier": "monthly" })).toContain(
    "pvc-plumber.io/tier must be one of hourly, daily, weekly, manual, disabled",
  );
  expect(await answer({ "pvc-plumber.io/enabled": "true", "pvc-plumber.io/tier": "weekly" })).toBeUndefined();
  const mode = (value: string) =>
    answer({ "pvc-plumber.io/enabled": "true" }, { "pvc-plumber.io/mode": value });
  expect(await mode("Strict")).toContain("pvc-plumber.io/mode must be one of never, audit");
  expect(await mode("strict")).toBeUndefined();
  expect(await answer({ app: "anything" })).toBeUndefined();
  expect(await answer({})).toBeUndefined();
});
