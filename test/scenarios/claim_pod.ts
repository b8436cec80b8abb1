import { type Pod, Pods } from "../../src/kube/builtin.ts";
import type { Draft } from "../../src/kube/object.ts";
import type { Stage } from "./stage.ts";

/** A pod that uses a claim. */
export interface ClaimPod {
  readonly name: string;
  readonly claim: string;
  /** Further ones, each at the folder of its name in /more. */
  readonly more?: readonly string[];
  /** One that has node. */
  readonly image: string;
  /** What node runs, with the volume at /data. */
  readonly script: string;
  /** Default: root. */
  readonly runAsUser?: number;
  /** Its volumes are given to this group when it starts, where a kubelet does that. */
  readonly fsGroup?: number;
}

/** Its draft, labelled `app` with its name. */
export function podDraft(stage: Stage, pod: ClaimPod): Draft<Pod> {
  const { name, claim, more = [], image, script, runAsUser = 0, fsGroup } = pod;
  return {
    metadata: { namespace: stage.namespace, name, labels: { app: name } },
    spec: {
      restartPolicy: "Never",
      terminationGracePeriodSeconds: 1,
      automountServiceAccountToken: false,
      ...(fsGroup === undefined ? {} : { securityContext: { fsGroup } }),
      containers: [
        {
          name: "main",
          image,
          imagePullPolicy: "Never",
          command: ["/usr/local/bin/node", "-e", script],
          securityContext: { runAsUser, runAsGroup: runAsUser },
          volumeMounts: [
            { name: "data", mountPath: "/data" },
            ...more.map((one) => ({ name: one, mountPath: `/more/${one}` })),
          ],
        },
      ],
      volumes: [
        { name: "data", persistentVolumeClaim: { claimName: claim } },
        ...more.map((one) => ({ name: one, persistentVolumeClaim: { claimName: one } })),
      ],
    },
  };
}

export async function startPod(stage: Stage, pod: ClaimPod): Promise<void> {
  await stage.world.client.create(Pods, podDraft(stage, pod));
}
