import { MANAGED_BY } from "../../../../core/work/run_labels.ts";
import { restoreResource } from "../../../../kinds/kopiur/generated/restore.ts";
import { isAlreadyExists, isNotFound } from "../../../../kube/api_error.ts";
import type { CallOptions, Client } from "../../../../kube/client.ts";
import type { Runnable } from "../../../../kube/controller/runnable.ts";
import type { KubeObject } from "../../../../kube/object.ts";
import type { Resource } from "../../../../kube/resource.ts";
import type { Right } from "../../../../kube/rights.ts";
import { aborted } from "../../../../lib/aborted.ts";
import { messageOf } from "../../../../lib/result.ts";
import type { Logger } from "../../../../observe/log.ts";

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

const REGISTRATION = `${restoreResource.plural}.${restoreResource.group}`;

/** Tells the validator of data sources, where there is one, that Restores are such. Everything works without it. */
export function registerPopulator(ports: {
  readonly client: Pick<Client, "serves" | "create">;
  readonly log: Logger;
}): Runnable {
  const { client, log } = ports;
  return {
    name: "kopiur-volumepopulator",
    async run(signal, ready) {
      ready();
      try {
        if (!(await register(client, signal)))
          log.info({}, "there is no VolumePopulator kind here, and Restores work without it");
      } catch (error) {
        log.warn(
          { error: messageOf(error) },
          "Restores could not be registered as a VolumePopulator: a validator of data sources will warn of them",
        );
      }
      await aborted(signal);
    },
  };
}

/** Whether there is anybody to tell. */
async function register(client: Pick<Client, "serves" | "create">, signal: AbortSignal): Promise<boolean> {
  if (!(await client.serves(VolumePopulators, { signal }))) return false;
  const { group, kind } = restoreResource;
  try {
    const draft = { metadata: { name: REGISTRATION, labels: MANAGED_BY }, sourceKind: { group, kind } };
    await client.create(VolumePopulators, draft, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
  return true;
}

/** Once nobody fills volumes from Restores any more, the validator hears of it. Another's registration stays. */
export async function unregisterPopulator(
  client: Pick<Client, "serves" | "get" | "delete">,
  call: CallOptions = {},
): Promise<boolean> {
  if (!(await client.serves(VolumePopulators, call))) return false;
  try {
    const { metadata } = await client.get(VolumePopulators, { name: REGISTRATION }, call);
    const ours = Object.entries(MANAGED_BY).every(([label, value]) => metadata.labels?.[label] === value);
    return ours && (await client.delete(VolumePopulators, metadata, { ...call, uid: metadata.uid }));
  } catch (error) {
    if (isNotFound(error)) return false;
    throw error;
  }
}

export const UNREGISTER_RIGHTS: readonly Right[] = [
  {
    resource: VolumePopulators,
    verbs: ["get", "delete"],
    names: [REGISTRATION],
    when: ["cluster"],
    why: "Restores are no sources of data any more",
  },
];
