import type { Backup } from "../../../kinds/kopiur/generated/backup.ts";
import { unreachable } from "../../../lib/result.ts";
import type { Crossing } from "../rules/crossing.ts";
import { listed, type Permission, type Tenant } from "../rules/permission.ts";
import { recipesAllowedIn } from "../rules/reach_consent.ts";
import { isPresent, type Lookup } from "./lookup.ts";
import { tenantOf } from "./tenant.ts";

/** Whether the target of a reference lists the namespace that refers to it. */
export type Judgement = Permission | "absent";

export function judge(crossing: Crossing, from: string, lookup: Lookup): Judgement {
  const { kind, namespace, name, allowed, through = [] } = crossing;
  const tenant = tenantOf(from, lookup);
  switch (kind) {
    case "Repository": {
      const found = lookup.repository({ namespace, name: name ?? "" });
      return isPresent(found) ? listed(found.spec.allowedNamespaces, tenant) : found;
    }
    case "BackupConfig": {
      const found = lookup.config({ namespace, name: name ?? "" });
      return isPresent(found) ? listed(found.spec.allowedNamespaces, tenant) : found;
    }
    case "Backup": {
      if (name === undefined) return listed(allowed, tenant);
      const found = lookup.backup({ namespace, name });
      return isPresent(found) ? judgeBackup(found, tenant, lookup) : found;
    }
    // Those of a repository are for whom the way to it is for.
    case "Secret": {
      const judgements = through.map((one) => judge(one, from, lookup));
      return judgements.find((one) => one === "granted") ?? judgements[0] ?? "denied";
    }
    // Who may run recipes on the claims of a namespace, the namespace says.
    case "PersistentVolumeClaim": {
      const found = lookup.namespace(namespace);
      return isPresent(found) ? listed(recipesAllowedIn(found), tenant) : found;
    }
    default:
      return unreachable(kind);
  }
}

/** A Backup is for those whom its recipe lists; one that was found, for those whom the repository beside it lists. */
function judgeBackup({ metadata, spec, status }: Backup, tenant: Tenant, lookup: Lookup): Permission {
  const { namespace } = metadata;
  if (spec.configRef) {
    const config = lookup.config({ namespace, ...spec.configRef });
    return isPresent(config) ? listed(config.spec.allowedNamespaces, tenant) : "denied";
  }
  const place = status?.resolved?.repository;
  if (place?.kind !== "Repository" || place.namespace !== namespace) return "denied";
  const repository = lookup.repository({ namespace, name: place.name });
  return isPresent(repository) ? listed(repository.spec.allowedNamespaces, tenant) : "denied";
}
