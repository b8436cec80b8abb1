import type { ClusterRepository } from "../../../kinds/kopiur/generated/cluster_repository.ts";
import type { Repository } from "../../../kinds/kopiur/generated/repository.ts";
import { jsonEqual } from "../../../lib/json.ts";
import { repositoryKey } from "../references.ts";
import { templatesTellApart, templateViolations } from "../rules/identity_templates.ts";
import { repositoryLimits } from "../rules/repository_limits.ts";
import { type Check, type Finding, refuseAll } from "./check.ts";
import { inheritedPrivileges, moverPrivileges } from "./mover_privileges.ts";
import { presence } from "./references.ts";

export const checkRepository: Check<Repository> = ({ object }, { lookup }) => {
  const { metadata, spec } = object;
  const place = { namespace: metadata.namespace ?? "", at: "spec.moverDefaults", lookup };
  return [
    ...refuseAll(repositoryLimits(spec)),
    ...moverPrivileges(spec.moverDefaults, place),
    ...unverified(spec.backend),
  ];
};

export const checkClusterRepository: Check<ClusterRepository> = (change, around) => {
  const { spec } = change.object;
  const { lookup, operatorNamespace: namespace } = around;
  const { fallbackNamespace: name } = spec.catalog;
  const fallback = { field: "spec.catalog.fallbackNamespace", kind: "Namespace", name: { name: name ?? "" } };
  return [
    ...refuseAll([...repositoryLimits(spec), ...templateViolations(spec.identityDefaults)]),
    ...(templatesTellApart(spec.identityDefaults) ? [] : [{ warn: SAME_IDENTITY }]),
    ...changedTemplates(change, around),
    ...inheritedPrivileges(spec.moverDefaults, { namespace, lookup }),
    ...(name === undefined ? [] : presence(lookup.namespace(name), fallback)),
    ...unverified(spec.backend),
  ];
};

const SAME_IDENTITY =
  "spec.identityDefaults: recipes of different names or namespaces get the same identity; use .Namespace and .ConfigName";

/** Recipes whose identity comes from the templates stop when these give another one. */
const changedTemplates: Check<ClusterRepository> = ({ object, old }, { lookup }) => {
  if (!old || jsonEqual(old.spec.identityDefaults, object.spec.identityDefaults)) return [];
  const place = repositoryKey({ kind: "ClusterRepository", name: object.metadata.name }, "");
  const pinned = lookup.configsOf(place).filter(({ spec, status }) => {
    const own = spec.identity?.username !== undefined && spec.identity.hostname !== undefined;
    return !own && status?.resolved?.identity !== undefined;
  });
  if (pinned.length === 0) return [];
  const warn = `spec.identityDefaults: ${pinned.length} BackupConfigs have their identity from here, and have to acknowledge another one`;
  return [{ warn }];
};

function unverified(backend: object): readonly Finding[] {
  return Object.entries(backend).flatMap(([name, storage]) => {
    const { tls } = storage as { readonly tls?: { readonly insecureSkipVerify?: boolean } };
    if (!tls?.insecureSkipVerify) return [];
    const field = `spec.backend.${name}.tls.insecureSkipVerify`;
    return [{ warn: `${field}: whoever stands between here and the server can read the credentials` }];
  });
}
