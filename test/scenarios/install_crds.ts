import { CustomResourceDefinitions } from "../../src/kube/builtin.ts";
import type { Client } from "../../src/kube/client.ts";
import type { KubeObject } from "../../src/kube/object.ts";
import { fingerprint } from "../../src/lib/hash.ts";

export type CrdManifest = Pick<KubeObject, "apiVersion" | "kind"> & {
  readonly metadata: { readonly name: string };
  readonly spec: unknown;
};

const DIGEST = "holdfast.dev/crd-digest";
const FIELD_MANAGER = "holdfast-install";

/** Applies the CRDs that are not there yet in exactly this form. */
export async function installCrds(
  client: Client,
  crds: readonly CrdManifest[],
  signal: AbortSignal,
): Promise<void> {
  const there = await client.metadata.list(CustomResourceDefinitions, { signal });
  const digests = new Map(there.items.map(({ metadata }) => [metadata.name, metadata.annotations?.[DIGEST]]));
  await Promise.all(
    crds.map(async (crd) => {
      const digest = fingerprint(JSON.stringify(crd));
      if (digests.get(crd.metadata.name) === digest) return;
      const metadata = { ...crd.metadata, annotations: { [DIGEST]: digest } };
      const options = { fieldManager: FIELD_MANAGER, force: true, signal };
      await client.apply(CustomResourceDefinitions, { ...crd, metadata }, options);
    }),
  );
}
