import {
  type ConsentRules,
  type Crossing,
  type Judgement,
  judgeCrossing,
  listedBy,
} from "../../../core/consent/crossing.ts";
import { listed, type Permission, type Tenant } from "../../../core/consent/permission.ts";
import { referenceForbidden } from "../../../core/consent/repository_permission.ts";
import type { Violation } from "../../../core/reconcile/violation.ts";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import { type Backup, backupResource } from "../../../kinds/kopiur/generated/backup.ts";
import { backupConfigResource } from "../../../kinds/kopiur/generated/backup_config.ts";
import { repositoryResource } from "../../../kinds/kopiur/generated/repository.ts";
import type { AllowedNamespaces } from "../../../kinds/kopiur/parts.ts";
import { isPresent } from "../../../kube/cache/found.ts";
import type { KubeObject } from "../../../kube/object.ts";
import type { Lookup } from "./lookup.ts";

/** The field of a repository or BackupConfig that lists the namespaces which may use it. */
export const ALLOWED_FIELD = "allowedNamespaces";

const LIST: Readonly<Record<string, string>> = {
  Repository: `the Repository's ${ALLOWED_FIELD}`,
  BackupConfig: `the BackupConfig's ${ALLOWED_FIELD}`,
  Backup: `the ${ALLOWED_FIELD} of its BackupConfig`,
};

/** Who consents to references into other namespaces, as these objects say. */
export function consentRules(lookup: Lookup): ConsentRules {
  const forbidden = crossingForbidden;
  return {
    repositoryList: LIST.Repository ?? "",
    namespace: (name) => lookup.namespace(name),
    kinds: {
      Repository: {
        resource: repositoryResource,
        forbidden,
        judge: ({ namespace, name = "" }, tenant) =>
          listedBy(lookup.repository({ namespace, name }), ({ spec }) =>
            listed(spec.allowedNamespaces, tenant),
          ),
      },
      BackupConfig: {
        resource: backupConfigResource,
        forbidden,
        judge: ({ namespace, name = "" }, tenant) =>
          listedBy(lookup.config({ namespace, name }), ({ spec }) => listed(spec.allowedNamespaces, tenant)),
      },
      Backup: {
        resource: backupResource,
        forbidden,
        judge: ({ namespace, name, allowed }, tenant) =>
          name === undefined
            ? listed(allowed, tenant)
            : listedBy(lookup.backup({ namespace, name }), (found) => judgeBackup(found, tenant, lookup)),
      },
      // Who may run BackupConfigs on the claims of a namespace, the namespace says. Whoever may read its claims may not:
      // it hands data over, and whoever applies the manifests of many tenants may do everything in each namespace.
      PersistentVolumeClaim: {
        forbidden,
        judge: ({ namespace }, tenant) =>
          listedBy(lookup.namespace(namespace), (found) => listed(configsAllowedIn(found), tenant)),
        target: ({ namespace }) => ({ kind: "Namespace", name: { name: namespace } }),
      },
    },
  };
}

/** Whether the target of a reference lists the namespace that refers to it. */
export function judge(crossing: Crossing, from: string, lookup: Lookup): Judgement {
  return judgeCrossing(crossing, from, consentRules(lookup));
}

/** The namespaces whose BackupConfigs may be run in this one, as it says itself. */
function configsAllowedIn({ metadata }: Pick<KubeObject, "metadata">): AllowedNamespaces {
  const text = metadata.annotations?.[ANNOTATIONS.allowedConfigNamespaces] ?? "";
  const list = text
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return { list };
}

/** A Backup is for those whom its BackupConfig lists; one that was found, for those whom the repository beside it lists. */
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

/** A reference into a namespace that does not consent to it. */
export function crossingForbidden(crossing: Crossing, from: string): Violation {
  const { kind, namespace, name, field } = crossing;
  const list = LIST[kind];
  if (name !== undefined && list !== undefined)
    return referenceForbidden({ kind, namespace, name, field }, { from, list });
  const forbidden = { reason: "CrossNamespaceForbidden", field, forbidden: true };
  // A selector for claims of a namespace whose owners do not let BackupConfigs of this one be run there.
  if (kind === "PersistentVolumeClaim") {
    return {
      ...forbidden,
      what: `BackupConfigs of namespace ${from} cannot be run on the claims of namespace ${namespace}`,
      why: `namespace ${namespace} does not list ${from}`,
      fix: `Have ${from} added to the annotation ${ANNOTATIONS.allowedConfigNamespaces} of namespace ${namespace}, or leave ${namespace} out`,
    };
  }
  return {
    ...forbidden,
    what: `the ${kind}s of namespace ${namespace} cannot be used from namespace ${from}`,
    why: "whoever wrote the reference may not get them",
    fix: `Have someone write this who may get them, or keep to namespace ${from}`,
  };
}
