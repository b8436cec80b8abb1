import type { Maintenance as NamedMaintenance } from "../../../core/maintenance/maintenance.ts";
import type { Maintenance } from "../../../kinds/kopiur/generated/maintenance.ts";

/** The Maintenance, with the name under which it maintains the repository where it says none itself. */
export function withOwner(maintenance: Maintenance): Maintenance & NamedMaintenance {
  const { spec } = maintenance;
  const owner = spec.ownership.owner ?? `kopiur/${spec.repository.name}`;
  return { ...maintenance, spec: { ...spec, ownership: { ...spec.ownership, owner } } };
}
