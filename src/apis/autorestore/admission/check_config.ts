import { type Finding, presence, refuseAll } from "../../../core/reconcile/finding.ts";
import { BACKUP_OF_STORE, storeViolation } from "../../../core/repository/store_violation.ts";
import { ANNOTATIONS } from "../../../kinds/autorestore/annotations.ts";
import type { BackupConfig } from "../../../kinds/autorestore/generated/backup_config.ts";
import { isPresent } from "../../../kube/cache/found.ts";
import { allowsConfigs, type Target } from "../config/claiming.ts";
import { configViolations } from "../config/config_violations.ts";
import { privileges } from "./check_repository.ts";
import type { Check } from "./lookup.ts";

export const checkConfig: Check<BackupConfig> = (change, around) => [
  ...refuseAll(configViolations(change.object)),
  ...stores(change, around),
  ...otherNamespaces(change, around),
  ...targets(change, around),
];

/** Those that a selector does not name are passed over. */
const stores: Check<BackupConfig> = ({ object: { metadata, spec } }, { lookup }) =>
  refuseAll(
    spec.selectors.flatMap(({ names = [], namespaces = [metadata.namespace ?? ""] }, index) =>
      namespaces.flatMap((namespace) =>
        names.map((name) => {
          const told = { field: `spec.selectors[${index}].names`, ...BACKUP_OF_STORE };
          return storeViolation({ namespace, name }, lookup.repositoryOn({ namespace, name }), told);
        }),
      ),
    ),
  );

/** A namespace may allow it later. */
const otherNamespaces: Check<BackupConfig> = (
  { object: { metadata, spec } },
  { lookup, namespace: watched },
) => {
  const { namespace: own = "" } = metadata;
  return spec.selectors.flatMap(({ namespaces = [] }, index) =>
    namespaces
      .filter((name) => name !== own)
      .flatMap((name): readonly Finding[] => {
        const field = `spec.selectors[${index}].namespaces`;
        if (watched !== undefined)
          return [{ warn: `${field}: this operator watches namespace ${watched} alone, and not ${name}` }];
        const found = lookup.namespace(name);
        if (isPresent(found) && allowsConfigs(found, own)) return [];
        const wanted = `${ANNOTATIONS.allowedConfigs}: ${own}`;
        return [{ warn: `${field}: namespace ${name} does not allow it; annotate it with ${wanted}` }];
      }),
  );
};

const targets: Check<BackupConfig> = ({ object }, { lookup }) => {
  const { namespace } = object.metadata;
  const { backupTargets } = object.spec;
  return backupTargets.flatMap((target, index) => {
    const field = `spec.backupTargets[${index}].repository`;
    const { name, privilegedMover } = target.repository;
    if (name === undefined) return privileges(privilegedMover, { object, at: field, lookup });
    const ref = { namespace, name };
    return [
      ...presence(lookup.repository(ref), { field, kind: "ResticRepository", name: ref }),
      ...unused(target, field),
      ...(backupTargets.findIndex((one) => one.repository.name === name) < index
        ? [{ warn: `${field}: another target stores the same snapshots in ResticRepository ${name}` }]
        : []),
    ];
  });
};

/** Settings beside a name do nothing. */
function unused({ repository }: Target, field: string): readonly Finding[] {
  const { name: _, privilegedMover, ...settings } = repository;
  const given = [...Object.keys(settings), ...(privilegedMover ? ["privilegedMover"] : [])];
  if (given.length === 0) return [];
  return [
    { warn: `${field}: ${given.join(", ")} has no effect beside name; set it in the ResticRepository` },
  ];
}
