import type { RepositorySpec } from "../../../kinds/kopiur/generated/repository.ts";
import { isNotFound } from "../../../kube/api_error.ts";
import { ConfigMaps } from "../../../kube/builtin.ts";
import type { Reader } from "../../../kube/client.ts";

/** Certificate authorities that a repository names: their text, or why there is none. */
export type CaBundle =
  | { readonly text: string; readonly problem?: never }
  | { readonly problem: string; readonly text?: never };

export interface CaBundleRef {
  readonly configMapName: string;
  readonly key: string;
}

export function caBundleRef({ backend }: Pick<RepositorySpec, "backend">): CaBundleRef | undefined {
  return (backend.s3 ?? backend.azure ?? backend.webDav)?.tls?.caBundleRef;
}

/** Reads the authorities that the repository names; undefined where it names none. */
export async function readCaBundle(
  reader: Pick<Reader, "get">,
  {
    metadata,
    spec,
  }: { readonly metadata: { readonly namespace?: string }; readonly spec: Pick<RepositorySpec, "backend"> },
  signal: AbortSignal,
): Promise<CaBundle | undefined> {
  const ref = caBundleRef(spec);
  if (!ref) return undefined;
  const name = { namespace: metadata.namespace, name: ref.configMapName };
  try {
    const text = (await reader.get(ConfigMaps, name, { signal })).data?.[ref.key];
    if (text) return { text };
    return {
      problem: `ConfigMap ${ref.configMapName} has no key ${ref.key}. Put the certificate authorities there, as PEM.`,
    };
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return {
      problem: `ConfigMap ${ref.configMapName} does not exist. Create it with the certificate authorities under ${ref.key}.`,
    };
  }
}
