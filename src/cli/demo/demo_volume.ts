import { type Job, Jobs, Pods } from "../../kube/builtin.ts";
import type { PodClient } from "../../kube/client/pod_client.ts";
import type { Client } from "../../kube/client.ts";
import type { Draft } from "../../kube/object.ts";
import { type WaitOptions, waitFor } from "../wait_for.ts";

export interface DemoVolumeOptions {
  readonly client: Client;
  readonly pods: PodClient;
  readonly wait: WaitOptions;
  readonly image: string;
  readonly namespace: string;
  readonly claim: string;
}

/** Fills the volume with a sample tree. */
export async function fillVolume(options: DemoVolumeOptions): Promise<void> {
  await runOn(options, "fill", ["sample", "/data", "1"]);
}

/** Everything that is to be said about everything on the volume, a line of JSON each. */
export function describeVolume(options: DemoVolumeOptions, name: string): Promise<string> {
  return runOn(options, name, ["describe", "/data"]);
}

/** Runs the helper of the mover's image in a pod with the volume. Returns what it printed. */
async function runOn(options: DemoVolumeOptions, name: string, args: readonly string[]): Promise<string> {
  const { client, pods, wait, namespace } = options;
  const { signal } = wait;
  await client.create(Jobs, jobFor(options, name, args), { signal });
  const ended = ({ status }: Job) => Boolean(status?.succeeded || status?.failed);
  const job = await waitFor(Jobs, { namespace, name }, (found) => found !== undefined && ended(found), wait);
  const list = await client.list(Pods, { namespace, labelSelector: `batch.kubernetes.io/job-name=${name}` });
  const pod = list.items[0]?.metadata.name ?? "";
  const output = Buffer.concat(
    await collect(await pods.logs({ namespace, name: pod }, { signal })),
  ).toString();
  if (!job?.status?.succeeded) throw new Error(`the pod ${pod} failed: ${output.slice(-1000)}`);
  // As long as a pod names the volume, the volume cannot go.
  await client.delete(Jobs, { namespace, name }, { propagation: "Background", signal });
  await waitFor(Pods, { namespace, name: pod }, (found) => found === undefined, wait);
  return output;
}

function jobFor(options: DemoVolumeOptions, name: string, args: readonly string[]): Draft<Job> {
  const { namespace, image, claim } = options;
  return {
    metadata: { namespace, name },
    spec: {
      backoffLimit: 0,
      template: {
        spec: {
          restartPolicy: "Never",
          securityContext: { runAsUser: 0, runAsGroup: 0 },
          containers: [
            {
              name: "main",
              image,
              imagePullPolicy: "IfNotPresent",
              command: ["holdfast-fidelity", ...args],
              volumeMounts: [{ name: "data", mountPath: "/data" }],
            },
          ],
          volumes: [{ name: "data", persistentVolumeClaim: { claimName: claim } }],
        },
      },
    },
  };
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const all: Uint8Array[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return all;
}
