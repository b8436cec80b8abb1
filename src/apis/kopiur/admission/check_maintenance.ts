import type { Maintenance } from "../../../kinds/kopiur/generated/maintenance.ts";
import { repositoryKey } from "../references.ts";
import { cronViolations } from "../rules/cron_violations.ts";
import { foreignMaintenance, secondMaintenance } from "../rules/other_maintenance.ts";
import { type Check, refuseAll } from "./check.ts";
import { maintenanceCrossings } from "./crossings.ts";
import { longJitter } from "./long_jitter.ts";
import { moverPrivileges } from "./mover_privileges.ts";
import { crossed, repositoryUse } from "./references.ts";

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
  const use = repositoryUse(ref, { from: namespace, field: "spec.repository", lookup });
  return [
    ...(home || away ? use.filter((finding) => "warn" in finding) : use),
    ...crossed(object, maintenanceCrossings(object, lookup), lookup),
    ...refuseAll([away ?? secondMaintenance(object, others), ...cronViolations(times, timezone)]),
    ...times.flatMap(longJitter),
    ...moverPrivileges(spec.mover, { namespace, lookup }),
  ];
};
