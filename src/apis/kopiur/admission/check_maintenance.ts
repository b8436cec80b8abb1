import { crossed } from "../../../core/consent/crossing.ts";
import { moverPrivileges } from "../../../core/consent/mover_privileges.ts";
import { refuseAll } from "../../../core/reconcile/finding.ts";
import { readOnlyViolation } from "../../../core/repository/read_only.ts";
import { cronViolations, longJitter } from "../../../core/schedule/cron_violations.ts";
import type { Maintenance } from "../../../kinds/kopiur/generated/maintenance.ts";
import { repositoryKey } from "../references.ts";
import { foreignMaintenance, secondMaintenance } from "../rules/other_maintenance.ts";
import { consentRules } from "./consent_rules.ts";
import { maintenanceCrossings } from "./crossings.ts";
import type { Check } from "./lookup.ts";
import { repositoryAt, repositoryUse } from "./references.ts";

export const checkMaintenance: Check<Maintenance> = ({ object }, { lookup, operatorNamespace }) => {
  const { metadata, spec } = object;
  const namespace = metadata.namespace ?? "";
  const { quick, full, timezone } = spec.schedule;
  const times = [
    { ...quick, field: "spec.schedule.quick.cron" },
    { ...full, field: "spec.schedule.full.cron" },
  ];
  const { repository: ref } = spec;
  // A repository of the whole cluster is maintained from where the operator is, whoever else may use it.
  const home = namespace === operatorNamespace;
  const away = foreignMaintenance(object, operatorNamespace);
  const others = lookup
    .maintenancesOf(repositoryKey(ref, namespace))
    .filter((one) => !foreignMaintenance(one, operatorNamespace));
  const repository = repositoryAt(ref, namespace, lookup);
  const use = repositoryUse(ref, { from: namespace, field: "spec.repository", lookup });
  return [
    ...(home || away ? use.filter((finding) => "warn" in finding) : use),
    ...crossed(object, maintenanceCrossings(object, lookup), consentRules(lookup)),
    ...refuseAll([
      away ?? secondMaintenance(object, others),
      repository && readOnlyViolation(repository, "maintenance", "spec.repository"),
      ...cronViolations(times, timezone, "spec.schedule"),
    ]),
    ...times.flatMap(longJitter),
    ...moverPrivileges(spec.mover, { object, at: "spec.mover", lookup }),
  ];
};
