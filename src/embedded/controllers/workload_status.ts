import { Deployments, StatefulSets } from "../../kube/builtin.ts";
import { done, type Outcome } from "../../kube/controller/controller.ts";
import { type Resource, resourceName } from "../../kube/resource.ts";
import type { Runnable } from "../../kube/runnable.ts";
import { isRecord, jsonEqual } from "../../lib/json.ts";
import type { Stored } from "../store/store.ts";
import { type ControllerPorts, storeController } from "./store_controller.ts";

const WORKLOADS: ReadonlyMap<string, Resource> = new Map(
  [Deployments, StatefulSets].map((resource: Resource) => [resourceName(resource), resource]),
);

/** Deployments and StatefulSets count as having the replicas that they ask for; their pods are not run. */
export function workloadStatus(ports: ControllerPorts): Runnable {
  const { store } = ports;
  const keyOf = (resource: string, { metadata }: Stored) =>
    `${resource} ${metadata.namespace} ${metadata.name}`;
  return storeController(ports, {
    name: "workload status",
    initial: () =>
      [...WORKLOADS.keys()].flatMap((resource) =>
        store.list(resource).objects.map((object) => keyOf(resource, object)),
      ),
    keysOf: ({ key, type, object }) =>
      WORKLOADS.has(key.resource) && type !== "DELETED" ? [keyOf(key.resource, object)] : [],
    reconcile: (key, signal) => reconcile(ports, key, signal),
  });
}

async function reconcile(
  { store, client }: ControllerPorts,
  key: string,
  signal: AbortSignal,
): Promise<Outcome> {
  const [name = "", namespace = "", workload = ""] = key.split(" ");
  const resource = WORKLOADS.get(name);
  const object = store.get({ resource: name, namespace, name: workload });
  if (!object || !resource || object.metadata.deletionTimestamp) return done;
  const status = statusOf(object);
  if (jsonEqual(status, object.status)) return done;
  const reported = { ...object, status };
  await client.update(resource, reported, { subresource: "status", signal });
  return done;
}

function statusOf({ kind, metadata, spec, status }: Stored): object {
  const wanted = isRecord(spec) ? Number(spec.replicas ?? 1) : 1;
  const counts = ["replicas", "readyReplicas", "availableReplicas", "updatedReplicas"];
  if (kind === "StatefulSet") counts.push("currentReplicas");
  const kept = Object.entries(isRecord(status) ? status : {}).filter(([name]) => !counts.includes(name));
  return {
    ...Object.fromEntries(kept),
    observedGeneration: metadata.generation,
    // A StatefulSet always says how many replicas it has, a Deployment only when it has some.
    ...(wanted > 0 ? Object.fromEntries(counts.map((name) => [name, wanted])) : {}),
    ...(kind === "StatefulSet" && { replicas: wanted, availableReplicas: wanted }),
  };
}
