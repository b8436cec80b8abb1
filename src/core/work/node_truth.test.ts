import { expect, test } from "vitest";
import { ApiError } from "../../kube/api_error.ts";
import { RecordingClient } from "../../kube/testing/recording_client.ts";
import { nodeTruth } from "./node_truth.ts";

const node = (ready: string, taints: object[] = []) => ({
  spec: { taints },
  status: { conditions: [{ type: "Ready", status: ready }] },
});
const refused = (code: number, reason: string) => new ApiError({ request: "GET", code, status: { reason } });
const outOfService = { key: "node.kubernetes.io/out-of-service", value: "nodeshutdown", effect: "NoExecute" };

test.each([
  ["answers", node("True"), "Ready"],
  ["says that it is not ready", node("False"), "Silent"],
  ["does not answer", node("Unknown", [{ key: "node.kubernetes.io/unreachable" }]), "Silent"],
  ["never said anything", { spec: {}, status: {} }, "Silent"],
  ["is out of service", node("Unknown", [outOfService]), "Dead"],
  ["is gone", refused(404, "NotFound"), "Dead"],
  ["may not be looked at", refused(403, "Forbidden"), "Unknown"],
])("a node that %s", async (_, answer, truth) => {
  const client = new RecordingClient(() => {
    if (answer instanceof Error) throw answer;
    return answer;
  });
  expect(await nodeTruth(client, "node-1")).toBe(truth);
});

test("a pod that no node ever had will be missed by none", async () => {
  expect(await nodeTruth(new RecordingClient(), undefined)).toBe("Dead");
});

test("a server that is not well says nothing about the node", async () => {
  const client = new RecordingClient(() => {
    throw refused(500, "InternalError");
  });
  await expect(nodeTruth(client, "node-1")).rejects.toBeInstanceOf(ApiError);
});
