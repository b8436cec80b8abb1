import { isAlreadyExists, isNotFound } from "../../../kube/api_error.ts";
import type { CallOptions, Client } from "../../../kube/client.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { type Resource, resourceName } from "../../../kube/resource.ts";
import type { Right } from "../../../kube/rights.ts";
import type { Runnable } from "../../../kube/runnable.ts";
import { aborted } from "../../../lib/aborted.ts";
import { messageOf } from "../../../lib/result.ts";
import type { Logger } from "../../../observe/log.ts";
import { MANAGED_BY } from "../../work/run_labels.ts";

interface VolumePopulator extends KubeObject {
  readonly sourceKind: { readonly group: string; readonly kind: string };
}

/** By these a validator knows which data sources somebody fills volumes from. Nobody has to install it. */
export const VolumePopulators: Resource<VolumePopulator> = {
  group: "populator.storage.k8s.io",
  version: "v1beta1",
  kind: "VolumePopulator",
  plural: "volumepopulators",
  namespaced: false,
};

/** Tells the validator of data sources, where there is one, that objects of this kind are such. Everything works without it. */
export function registerPopulator(
  { client, log }: { readonly client: Pick<Client, "serves" | "create">; readonly log: Logger },
  source: Resource,
): Runnable {
  const { kind } = source;
  return {
    name: `volumepopulator-${resourceName(source)}`,
    async run(signal, ready) {
      ready();
      try {
        if (!(await register(client, source, signal)))
          log.info({}, `there is no VolumePopulator kind here, and ${kind}s work without it`);
      } catch (error) {
        log.warn(
          { error: messageOf(error) },
          `${kind}s could not be registered as a VolumePopulator: a validator of data sources will warn of them`,
        );
      }
      await aborted(signal);
    },
  };
}

/** Whether there is anybody to tell. */
async function register(
  client: Pick<Client, "serves" | "create">,
  source: Resource,
  signal: AbortSignal,
): Promise<boolean> {
  if (!(await client.serves(VolumePopulators, { signal }))) return false;
  const { group, kind } = source;
  try {
    const draft = {
      metadata: { name: resourceName(source), labels: MANAGED_BY },
      sourceKind: { group, kind },
    };
    await client.create(VolumePopulators, draft, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  return true;
}

/** Once nobody fills volumes from objects of this kind any more, the validator hears of it. Another's registration stays. */
export async function unregisterPopulator(
  client: Pick<Client, "serves" | "get" | "delete">,
  source: Resource,
  call: CallOptions = {},
): Promise<boolean> {
  if (!(await client.serves(VolumePopulators, call))) return false;
  try {
    const { metadata } = await client.get(VolumePopulators, { name: resourceName(source) }, call);
    const ours = Object.entries(MANAGED_BY).every(([label, value]) => metadata.labels?.[label] === value);
    return ours && (await client.delete(VolumePopulators, metadata, { ...call, uid: metadata.uid }));
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

export function unregisterRight(source: Resource): Right {
  return {
    resource: VolumePopulators,
    verbs: ["get", "delete"],
    names: [resourceName(source)],
    when: ["cluster"],
    why: `${source.kind}s are no sources of data any more`,
  };
}
