import { expect, test } from "vitest";
import { ApiError } from "../../../kube/api_error.ts";
import { Deployments } from "../../../kube/builtin.ts";
import type { Resource } from "../../../kube/resource.ts";
import { RecordingClient } from "../../../kube/testing/recording_client.ts";
import { HelmReleases } from "../gitops/gitops_kinds.ts";
import { PAUSED_FOR } from "../gitops/pause.ts";
import { bringingBack } from "./bringing_back.ts";
import { carryOutScaling } from "./carry_out_scaling.ts";
import type { ScalingIntent } from "./scaling_intent.ts";
import { SCALED_FOR, SCALED_FROM } from "./scaling_marks.ts";
import type { Scalable, Workload } from "./workload.ts";

const holder = "uid-restore";

function workload(name: string): Workload {
  const annotations = { [SCALED_FOR]: holder, [SCALED_FROM]: "2" };
  const metadata = { namespace: "home", name, uid: `uid-${name}`, annotations } as never;
  const object = { apiVersion: "apps/v1", kind: "Deployment", metadata, spec: { replicas: 0 } };
  return { resource: Deployments as Resource<Scalable>, object, replicas: 0 };
}

const release = {
  resource: HelmReleases as Resource,
  object: {
    ...{ apiVersion: "helm.toolkit.fluxcd.io/v2", kind: "HelmRelease", spec: { suspend: true } },
    metadata: { namespace: "flux", name: "c", uid: "uid-c", annotations: { [PAUSED_FOR]: holder } } as never,
  },
};

/** What was written, where one workload answers this, and what was said. */
async function carriedOut(intents: readonly ScalingIntent[], code: number) {
  const refusal = new ApiError({
    request: "patch",
    code,
    status: { message: "a policy forbids it" } as never,
  });
  const client = new RecordingClient(({ name }) => {
    if (name?.name === "a") throw refusal;
  });
  const said = await carryOutScaling(client, intents).catch((error: Error) => error.message);
  return { said, written: client.calls.map(({ name }) => name?.name) };
}

test.each([[403], [422], [500]])(
  "one that cannot be brought back (%i) keeps none of the others down",
  async (code) => {
    const intents = bringingBack([workload("a"), workload("b")], [release], holder);
    const { said, written } = await carriedOut(intents, code);
    expect(written).toEqual(["a", "b", "c"]);
    expect(said).toContain("a policy forbids it");
  },
);

test("nothing is scaled down behind one that cannot be", async () => {
  const intents = ["a", "b"].map(
    (name) => ({ type: "ScaleDown", workload: workload(name), holder }) as const,
  );
  expect((await carriedOut(intents, 403)).written).toEqual(["a"]);
});
