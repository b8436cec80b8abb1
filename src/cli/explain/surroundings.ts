import { backupConfigResource } from "../../kinds/kopiur/generated/backup_config.ts";
import { clusterRepositoryResource } from "../../kinds/kopiur/generated/cluster_repository.ts";
import { repositoryResource } from "../../kinds/kopiur/generated/repository.ts";
import { isForbidden, isNotFound } from "../../kube/api_error.ts";
import type { Reader } from "../../kube/client.ts";
import type { ObjectName } from "../../kube/object.ts";
import type { Resource } from "../../kube/resource.ts";
import { complaintOf, type NativeObject } from "../frame/kinds.ts";

interface Named {
  readonly resource: Resource<NativeObject>;
  readonly name: ObjectName;
}

interface Naming {
  readonly configRef?: { readonly name: string; readonly namespace?: string };
  readonly repository?: { readonly kind?: string; readonly name: string; readonly namespace?: string };
  readonly source?: {
    readonly fromConfig?: { readonly name: string; readonly namespace?: string };
  };
}

/** What is wrong with the recipe and the repository that an object names, each in a sentence. */
export async function surroundings(
  reader: Pick<Reader, "get">,
  object: NativeObject,
  signal: AbortSignal,
): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const one of namedBy(object)) {
    const found = await reader.get(one.resource, one.name, { signal }).catch((error: unknown) => {
      if (isNotFound(error)) return undefined;
      if (isForbidden(error)) return "forbidden" as const;
      throw error;
    });
    if (found === "forbidden") continue;
    const called = `${one.resource.kind} ${one.name.name}`;
    if (!found) {
      lines.push(`It names ${called}, which does not exist.`);
      continue;
    }
    const complaint = complaintOf(found);
    if (complaint !== undefined)
      lines.push(`It names ${called}, which is ${found.status?.phase}: ${complaint}`);
    // A recipe's own repository is what an object of it depends on in the end.
    if (one.resource === backupConfigResource) lines.push(...(await surroundings(reader, found, signal)));
  }
  return lines;
}

/** The objects that a spec names. */
export function namedBy(object: NativeObject): readonly Named[] {
  const { spec = {} } = object as { readonly spec?: Naming };
  const { namespace } = object.metadata;
  const config = spec.configRef ?? spec.source?.fromConfig;
  const { repository } = spec;
  return [
    ...(config ? [{ resource: backupConfigResource, name: within(namespace, config) }] : []),
    ...(repository
      ? [
          repository.kind === clusterRepositoryResource.kind
            ? { resource: clusterRepositoryResource, name: { name: repository.name } }
            : { resource: repositoryResource, name: within(namespace, repository) },
        ]
      : []),
  ];
}

function within(
  own: string | undefined,
  ref: { readonly name: string; readonly namespace?: string },
): ObjectName {
  const namespace = ref.namespace ?? own;
  return namespace === undefined ? { name: ref.name } : { namespace, name: ref.name };
}
