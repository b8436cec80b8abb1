import { expect, test } from "vitest";
import { ApiError } from "../../../kube/api_error.ts";
import type { Client } from "../../../kube/client.ts";
import { RecordingClient } from "../../../kube/testing/recording_client.ts";
import type { Claim } from "../claim_request.ts";
import { object, volume } from "../staging/testing/staging_samples.ts";
import { carryOutPopulation } from "./carry_out_population.ts";
import { FILLED_FOR, POLICY_KEPT, PRIME_FOR, PRIME_HELD } from "./population_marks.ts";

const claim = object<Claim>("PersistentVolumeClaim", { namespace: "shop", name: "born", uid: "uid-2" }, {});

test("a volume that is handed over twice keeps the policy that it had at first", async () => {
  const made = volume({ persistentVolumeReclaimPolicy: "Retain" }, "pv-1");
  const annotations = { [FILLED_FOR]: "uid-1", [POLICY_KEPT]: "Delete" };
  const given = { ...made, metadata: { ...made.metadata, annotations } };
  const client = new RecordingClient();
  await carryOutPopulation(client as unknown as Client, [{ type: "HandOver", volume: given, claim }]);
  expect(client.writes).toMatchObject([
    {
      verb: "patch",
      body: {
        patch: {
          metadata: { annotations: { [FILLED_FOR]: "uid-2", [POLICY_KEPT]: "Delete" } },
          spec: { claimRef: { uid: "uid-2" }, persistentVolumeReclaimPolicy: "Retain" },
        },
      },
    },
  ]);
});

test("a prime claim is not let go before the runs that were to fill it have ended", async () => {
  const client = new RecordingClient();
  const ended: unknown[] = [];
  const deleteCollection = async (...call: readonly unknown[]) => {
    expect(client.writes).toEqual([]);
    ended.push(call[1]);
  };
  const metadata = { labels: { [PRIME_FOR]: "uid-1" }, finalizers: [PRIME_HELD] };
  const prime = { ...claim, metadata: { ...claim.metadata, ...metadata } };
  const writer = Object.assign(client, { deleteCollection });
  await carryOutPopulation(writer as unknown as Client, [{ type: "ReleasePrime", prime }]);
  expect(ended).toMatchObject([
    { namespace: "shop", labelSelector: expect.stringContaining(`${PRIME_FOR}=uid-1`) },
  ]);
  expect(client.writes).toHaveLength(1);
});

test("a claim that a quota refuses says why there are two of it", async () => {
  const message = 'persistentvolumeclaims "born" is forbidden: exceeded quota: limits';
  const client = new RecordingClient(() => {
    throw new ApiError({ request: "create", code: 403, status: { code: 403, reason: "Forbidden", message } });
  });
  const request = { namespace: "shop", name: "born", capacity: "1Gi", madeFor: "uid-1" };
  await expect(
    carryOutPopulation(client as unknown as Client, [{ type: "Reserve", request }]),
  ).rejects.toMatchObject({
    reason: "QuotaExceeded",
    message: expect.stringContaining("there are two claims of this size and class"),
  });
});
