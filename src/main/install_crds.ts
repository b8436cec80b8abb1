import { createHash } from "node:crypto";
import { globSync, readFileSync } from "node:fs";
import { parse } from "yaml";
import { CustomResourceDefinitions } from "../kube/builtin.ts";
import type { Client } from "../kube/client.ts";
import type { KubeObject } from "../kube/object.ts";

const DIGEST = "holdfast.dev/crd-digest";
const FIELD_MANAGER = "holdfast-install";

/**
 * Applies every CRD of a folder that is not there yet in exactly this form. The digest saves reading hundreds of
 * kilobytes of YAML at every start.
 */
export async function installCrds(client: Client, folder: string, signal: AbortSignal): Promise<void> {
  const there = await client.list(CustomResourceDefinitions, { signal });
  const digests = new Set(there.items.map(({ metadata }) => metadata.annotations?.[DIGEST]));
  for (const file of globSync(`${folder}/*.crd.yaml`)) {
    const text = readFileSync(file, "utf8");
    const digest = createHash("sha256").update(text).digest("hex").slice(0, 16);
    if (digests.has(digest)) continue;
    const crd = parse(text) as KubeObject & { readonly spec: unknown };
    const { name, annotations } = crd.metadata;
    const metadata = { ...crd.metadata, name, annotations: { ...annotations, [DIGEST]: digest } };
    await client.apply(
      CustomResourceDefinitions,
      { ...crd, metadata },
      { fieldManager: FIELD_MANAGER, force: true, signal },
    );
  }
}
