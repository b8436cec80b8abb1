import { isNotFound } from "../../kube/api_error.ts";
import { ConfigMaps } from "../../kube/builtin.ts";
import type { Reader } from "../../kube/client.ts";
import { keyOf } from "../../kube/object.ts";
import type { Repository, RepositorySpec } from "./repository.ts";

/** Certificate authorities that a repository names: their text, or why there is none. */
export type CaBundle =
  | { readonly text: string; readonly problem?: never }
  | { readonly problem: string; readonly text?: never };

export interface CaBundleRef {
  readonly configMapName: string;
  /** Default: the repository's. */
  readonly namespace?: string;
  readonly key: string;
}

export function caBundleRef({ backend }: Pick<RepositorySpec, "backend">): CaBundleRef | undefined {
  return (backend.s3 ?? backend.azure ?? backend.webDav)?.tls?.caBundleRef;
}

/** Reads the authorities that the repository names; undefined where it names none. */
export async function readCaBundle(
  reader: Pick<Reader, "get">,
  { metadata, spec }: Pick<Repository, "metadata" | "spec">,
  signal: AbortSignal,
): Promise<CaBundle | undefined> {
  const ref = caBundleRef(spec);
  if (!ref) return undefined;
  const name = { namespace: ref.namespace ?? metadata.namespace, name: ref.configMapName };
  const what = `ConfigMap ${keyOf(name)}`;
  try {
    const text = (await reader.get(ConfigMaps, name, { signal })).data?.[ref.key];
    if (text) return { text };
    return { problem: `${what} has no key ${ref.key}. Put the certificate authorities there, as PEM.` };
  } catch (error) {
    if (!isNotFound(error)) throw error;
    return {
      problem: `${what} does not exist. Create it with the certificate authorities under ${ref.key}.`,
    };
  }
}
