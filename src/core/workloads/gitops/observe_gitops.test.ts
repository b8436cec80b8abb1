import { expect, test } from "vitest";
import { ApiError } from "../../../kube/api_error.ts";
import { RecordingClient } from "../../../kube/testing/recording_client.ts";
import type { UseDecision } from "../scaling/decide_use.ts";
import type { Workload } from "../scaling/workload.ts";
import { type GitOpsOwner, observeGitOps, observePaused, pausedOwner } from "./observe_gitops.ts";
import { PAUSED_FOR } from "./pause.ts";
import { application, appliedDeployment, helmRelease, RELEASED, TRACKED } from "./testing/gitops_samples.ts";
import { withGitOps } from "./with_gitops.ts";

const ON = { argoCdNamespace: "argocd" };
const refusal = (code: number, reason: string) =>
  new ApiError({ request: "get", code, status: { code, reason, message: "no" } });

/** A cluster with these owners; of the others, none is there, or may be read. */
const cluster = (owners: readonly GitOpsOwner[] = [], other = refusal(404, "NotFound")) =>
  new RecordingClient(({ resource, name }) => {
    const found = owners.find(
      ({ object: { kind, metadata } }) =>
        kind === resource.kind && metadata.name === name?.name && metadata.namespace === name?.namespace,
    );
    if (!found) throw other;
    return found.object;
  });

const scale = (workload: Workload): Extract<UseDecision, { readonly type: "Scale" }> => ({
  type: "Scale",
  reason: "ScalingDown",
  message: "Down.",
  workloads: [workload],
  intents: [{ type: "ScaleDown", workload, holder: "me" }],
});
const ALONE =
  "may scale it up again: pause it yourself, or have the operator do that (pauseGitOps.enabled in the chart's values).";
const labelled = { labels: { "app.kubernetes.io/instance": "web" } };
const elsewhere = { "argocd.argoproj.io/tracking-id": "team_web:apps/Deployment:shop/web" };
const copied = { "argocd.argoproj.io/tracking-id": "web:apps/Deployment:shop/other" };

test.each<[string, object, readonly GitOpsOwner[], string, readonly string[]]>([
  ["nobody applies", {}, [application()], "Down.", ["ScaleDown"]],
  [
    "an Application tracks",
    { annotations: TRACKED },
    [application()],
    "Down. Application argocd/web is paused meanwhile.",
    ["Pause", "ScaleDown"],
  ],
  [
    "an Application of another namespace tracks",
    { annotations: elsewhere },
    [application({}, "team")],
    "Down. Application team/web is paused meanwhile.",
    ["Pause", "ScaleDown"],
  ],
  ["has the tracking ID of another", { annotations: copied }, [application()], "Down.", ["ScaleDown"]],
  [
    "an Application has applied with a label",
    labelled,
    [application()],
    "Down. Application argocd/web is paused meanwhile.",
    ["Pause", "ScaleDown"],
  ],
  [
    "a chart has given the label",
    labelled,
    [{ ...application(), object: { ...application().object, status: {} } as never }],
    "Down.",
    ["ScaleDown"],
  ],
  ["a chart has given the label, without Argo CD", labelled, [], "Down.", ["ScaleDown"]],
  [
    "a HelmRelease and an Application own",
    { labels: RELEASED, annotations: TRACKED },
    [application(), helmRelease()],
    "Down. Application argocd/web, HelmRelease flux-system/web is paused meanwhile.",
    ["Pause", "Pause", "ScaleDown"],
  ],
  [
    "a person has taken from its HelmRelease",
    { labels: RELEASED },
    [helmRelease({ suspend: true })],
    "Down.",
    ["ScaleDown"],
  ],
  [
    "an Application tracks that is in another cluster",
    { annotations: TRACKED },
    [],
    `Down. Application argocd/web ${ALONE}`,
    ["ScaleDown"],
  ],
])("a workload that %s", async (_, marks, owners, message, intents) => {
  const workload = appliedDeployment(marks);
  const decision = withGitOps(scale(workload), await observeGitOps(cluster(owners), [workload], ON), "me");
  expect(decision).toMatchObject({ message, intents: intents.map((type) => ({ type })) });
});

test("what is paused for this already is remembered, and not paused again", async () => {
  const workload = appliedDeployment({ annotations: TRACKED });
  const owner = application({ "argocd.argoproj.io/skip-reconcile": "true", [PAUSED_FOR]: "me" });
  const decision = withGitOps(scale(workload), { owners: [owner], beyond: [] }, "me");
  expect(decision).toMatchObject({ owners: [owner], intents: [{ type: "ScaleDown" }] });
});

test("without leave to pause nothing is read, and what is in doubt is not named", async () => {
  const client = cluster([application(), helmRelease()]);
  const tracked = appliedDeployment({ labels: RELEASED, annotations: TRACKED });
  expect(await observeGitOps(client, [tracked, appliedDeployment(labelled)], undefined)).toEqual({
    owners: [],
    beyond: ["Application argocd/web", "HelmRelease flux-system/web"],
  });
  expect(client.calls).toEqual([]);
});

test("what may not be read is not paused, and what was paused stays known", async () => {
  const client = cluster([], refusal(403, "Forbidden"));
  const workload = appliedDeployment({ annotations: TRACKED });
  expect(await observeGitOps(client, [workload], ON)).toEqual({
    owners: [],
    beyond: ["Application argocd/web"],
  });
  const name = pausedOwner(helmRelease());
  expect(await observePaused(client, [name])).toMatchObject({
    paused: [],
    hidden: [{ name: "flux-system/web" }],
  });
  expect(await observePaused(cluster([helmRelease()]), [name])).toEqual({
    paused: [helmRelease()],
    hidden: [],
  });
  expect(await observePaused(cluster(), [name])).toEqual({ paused: [], hidden: [] });
});
