import { type Pod, Pods } from "../../src/kube/builtin.ts";
import type { Draft } from "../../src/kube/object.ts";
import type { Stage } from "./stage.ts";

/** A pod that uses a claim. */
export interface ClaimPod {
  readonly name: string;
  readonly claim: string;
  /** One that has node. */
  readonly image: string;
  /** What node runs, with the volume at /data. */
  readonly script: string;
  /** Default: root. */
  readonly runAsUser?: number;
}

/** Its draft, labelled `app` with its name. */
export function podDraft(stage: Stage, { name, claim, image, script, runAsUser = 0 }: ClaimPod): Draft<Pod> {
  return {
    metadata: { namespace: stage.namespace, name, labels: { app: name } },
    spec: {
      restartPolicy: "Never",
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      containers: [
        {
          name: "main",
          image,
          imagePullPolicy: "Never",
          command: ["/usr/local/bin/node", "-e", script],
          securityContext: { runAsUser, runAsGroup: runAsUser },
          volumeMounts: [{ name: "data", mountPath: "/data" }],
        },
      ],
      volumes: [{ name: "data", persistentVolumeClaim: { claimName: claim } }],
    },
  };
}

export async function startPod(stage: Stage, pod: ClaimPod): Promise<void> {
  await stage.world.client.create(Pods, podDraft(stage, pod));
}
