import { PersistentVolumeClaims, type Pod, Pods } from "../../../kube/builtin.ts";
import type { Cache } from "../../../kube/cache/cache.ts";
import { Controller, done, type Outcome } from "../../../kube/controller/controller.ts";
import type { KubeObject, ObjectKey } from "../../../kube/object.ts";
import { ownerReference } from "../../../kube/write/owners.ts";
import { find } from "../find.ts";
import type { NodePorts } from "../node_ports.ts";

export interface EphemeralClaimsOptions extends NodePorts {
  readonly pods: Cache<Pod>;
}

/** Makes the claims of volumes that come and go with their pod. The garbage collector removes them after it. */
export class EphemeralClaims {
  readonly controller: Controller;
  readonly #options: EphemeralClaimsOptions;

  constructor(options: EphemeralClaimsOptions) {
    this.#options = options;
    this.controller = new Controller({
      ...options,
      name: "ephemeral-volumes",
      reconcile: (key, signal) => this.#reconcile(key, signal),
    }).watch(options.pods, {
      when: (change) => change.type !== "removed" && waitsForClaims(change.object),
    });
  }

  async #reconcile(key: ObjectKey, signal: AbortSignal): Promise<Outcome> {
    const { client, pods } = this.#options;
    const pod = pods.get(key);
    if (!pod || !waitsForClaims(pod)) return done;
    const { namespace } = pod.metadata;
    const owner = ownerReference({
      owner: { resource: Pods, object: pod },
      dependent: { resource: PersistentVolumeClaims, namespace },
    });
    for (const { name: volume, ephemeral } of pod.spec?.volumes ?? []) {
      if (!ephemeral) continue;
      const name = ephemeralName(pod, volume);
      // One of somebody else's is left alone: the pod is not scheduled, and says why.
      if (await find(client, PersistentVolumeClaims, { namespace, name }, signal)) continue;
      const { metadata = {}, spec } = ephemeral.volumeClaimTemplate ?? { spec: {} };
      const { labels, annotations } = metadata;
      const own = { ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) };
      const place = { name, ...(namespace === undefined ? {} : { namespace }), ownerReferences: [owner] };
      await client.create(PersistentVolumeClaims, { metadata: { ...own, ...place }, spec }, { signal });
    }
    return done;
  }
}

/** The claim of a pod's own volume. */
export function ephemeralName({ metadata }: Pick<KubeObject, "metadata">, volume: string): string {
  return `${metadata.name}-${volume}`;
}

/** A claim that has the name of a pod's own volume, and was not made for this pod. */
export function isForeign(pod: Pod, { metadata }: KubeObject): boolean {
  const own = pod.spec?.volumes?.some(
    ({ name, ephemeral }) => ephemeral && ephemeralName(pod, name) === metadata.name,
  );
  return own === true && !metadata.ownerReferences?.some(({ uid }) => uid === pod.metadata.uid);
}

function waitsForClaims({ metadata, spec }: Pod): boolean {
  return !spec?.nodeName && !metadata.deletionTimestamp && (spec?.volumes ?? []).some((one) => one.ephemeral);
}
