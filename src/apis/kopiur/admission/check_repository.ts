import { inheritedPrivileges, moverPrivileges } from "../../../core/consent/mover_privileges.ts";
import { type Finding, presence, refuseAll } from "../../../core/reconcile/finding.ts";
import { repositoryLimits } from "../../../core/repository/repository_limits.ts";
import { templatesTellApart, templateViolations } from "../../../core/rules/identity_templates.ts";
import type { ClusterRepository } from "../../../kinds/kopiur/generated/cluster_repository.ts";
import type { Repository } from "../../../kinds/kopiur/generated/repository.ts";
import { jsonEqual } from "../../../lib/json.ts";
import { type AnyRepository, repositoryKey } from "../references.ts";
import type { Check } from "./lookup.ts";

export const checkRepository: Check<Repository> = ({ object, old }, { lookup }) => {
  const { spec } = object;
  const place = { object, at: "spec.moverDefaults", lookup };
  return [
    ...refuseAll(repositoryLimits(spec, "spec.")),
    ...moverPrivileges(spec.moverDefaults, place),
    ...movedAway(object, old),
    ...unverified(spec.backend),
  ];
};

export const checkClusterRepository: Check<ClusterRepository> = (change, around) => {
  const { spec } = change.object;
  const { lookup, operatorNamespace: namespace } = around;
  const { fallbackNamespace: name } = spec.catalog;
  const fallback = { field: "spec.catalog.fallbackNamespace", kind: "Namespace", name: { name: name ?? "" } };
  return [
    ...refuseAll([
      ...repositoryLimits(spec, "spec."),
      ...templateViolations(spec.identityDefaults, "spec.identityDefaults"),
    ]),
    ...(templatesTellApart(spec.identityDefaults) ? [] : [{ warn: SAME_IDENTITY }]),
    ...changedTemplates(change, around),
    ...inheritedPrivileges(spec.moverDefaults, { object: change.object, namespace, lookup }, "moverDefaults"),
    ...(name === undefined ? [] : presence(lookup.namespace(name), fallback)),
    ...movedAway(change.object, change.old),
    ...unverified(spec.backend),
  ];
};

const SAME_IDENTITY =
  "spec.identityDefaults: BackupConfigs of different names or namespaces get the same identity; use .Namespace and .ConfigName";

/** BackupConfigs whose identity comes from the templates stop when these give another one. */
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

/** The snapshots do not move along. */
function movedAway(object: AnyRepository, old: AnyRepository | undefined): readonly Finding[] {
  if (old?.status?.uniqueID === undefined || placeOf(old) === placeOf(object)) return [];
  const warn =
    "spec.backend: the repository is looked for at another place now, and its snapshots do not move there; nothing is created in its place";
  return [{ warn }];
}

/** Where a repository is, without how it is reached. */
function placeOf({ spec }: AnyRepository): string {
  const [kind, storage] = Object.entries(spec.backend)[0] ?? [];
  const { auth: _, tls: __, ...place } = (storage ?? {}) as Record<string, unknown>;
  return JSON.stringify([kind, place]);
}

function unverified(backend: object): readonly Finding[] {
  return Object.entries(backend).flatMap(([name, storage]) => {
    const { tls } = storage as { readonly tls?: { readonly insecureSkipVerify?: boolean } };
    if (!tls?.insecureSkipVerify) return [];
    const field = `spec.backend.${name}.tls.insecureSkipVerify`;
    return [{ warn: `${field}: whoever stands between here and the server can read the credentials` }];
  });
}
