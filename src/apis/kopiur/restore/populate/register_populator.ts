import { restoreResource } from "../../../../kinds/kopiur/generated/restore.ts";
import { isAlreadyExists } from "../../../../kube/api_error.ts";
import type { Client } from "../../../../kube/client.ts";
import type { Runnable } from "../../../../kube/controller/runnable.ts";
import type { KubeObject } from "../../../../kube/object.ts";
import type { Resource } from "../../../../kube/resource.ts";
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
        await register(client, signal);
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

async function register(client: Pick<Client, "serves" | "create">, signal: AbortSignal): Promise<void> {
  if (!(await client.serves(VolumePopulators, { signal }))) return;
  const { group, kind, plural } = restoreResource;
  try {
    const draft = { metadata: { name: `${plural}.${group}` }, sourceKind: { group, kind } };
    await client.create(VolumePopulators, draft, { signal });
  } catch (error) {
    if (!isAlreadyExists(error)) throw error;
  }
}
