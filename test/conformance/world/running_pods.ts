import { Pods } from "../../../src/kube/builtin.ts";
import type { Body } from "./api.ts";
import { taken } from "./expectations.ts";
import type { World } from "./world.ts";

/** A pod spec that runs a script of `sh` once. */
export function script(world: World, text: string, container: object = {}, more: object = {}) {
  const { image } = world;
  return {
    restartPolicy: "Never",
    terminationGracePeriodSeconds: 1,
    automountServiceAccountToken: false,
    containers: [
      { name: "main", image, imagePullPolicy: "Never", command: ["sh", "-c", text], ...container },
    ],
    ...more,
  };
}

export function isOver({ status }: Body): boolean {
  return status?.phase === "Succeeded" || status?.phase === "Failed";
}

/** Creates a pod and resolves when it has ended. */
export async function runPod(world: World, name: string, spec: object): Promise<Body> {
  taken(await world.of(Pods).create({ metadata: { name }, spec }), 201);
  return world.of(Pods).until(name, isOver);
}

export async function logOf(
  world: World,
  name: string,
  query: Record<string, string | number | boolean> = {},
) {
  return (
    await world.api.send("GET", world.of(Pods).sub("log").path(name), { query, headers: { accept: "*/*" } })
  ).text;
}

/** Runs a script to its successful end, and gives what it wrote. */
export async function output(world: World, name: string, spec: object): Promise<string> {
  const pod = await runPod(world, name, spec);
  const text = await logOf(world, name);
  if (pod.status.phase !== "Succeeded")
    throw new Error(`pod ${name} failed: ${text} ${JSON.stringify(pod.status)}`);
  return text;
}

interface ContainerStatus {
  readonly name: string;
  readonly ready: boolean;
  readonly restartCount: number;
  readonly state: {
    readonly running?: object;
    readonly waiting?: { readonly reason: string; readonly message?: string };
    readonly terminated?: {
      readonly exitCode: number;
      readonly reason: string;
      readonly message?: string;
      readonly startedAt: string;
      readonly finishedAt: string;
    };
  };
}

/** The status of the pod's first container. */
export function containerOf(pod: Body): ContainerStatus | undefined {
  return (pod.status?.containerStatuses as readonly ContainerStatus[] | undefined)?.[0];
}
