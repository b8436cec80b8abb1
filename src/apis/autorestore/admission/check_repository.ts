import { type MoverPlace, moverPrivileges } from "../../../core/consent/mover_privileges.ts";
import { type Finding, presence, refuseAll } from "../../../core/reconcile/finding.ts";
import type { ResticRepository } from "../../../kinds/autorestore/generated/restic_repository.ts";
import { repositoryViolations, urlOf } from "../repository/repository_violations.ts";
import type { Check } from "./lookup.ts";

export const checkRepository: Check<ResticRepository> = ({ object, old }, { lookup }) => {
  const { metadata, spec } = object;
  const name = { namespace: metadata.namespace, name: spec.volume?.claimName ?? "" };
  const kind = "PersistentVolumeClaim";
  return [
    ...refuseAll(repositoryViolations(spec, "spec")),
    ...privileges(spec.privilegedMover, { object, at: "spec", lookup }),
    ...(spec.volume ? presence(lookup.claim(name), { field: "spec.volume.claimName", kind, name }) : []),
    ...(old?.status?.uniqueID !== undefined && urlOf(old.spec) !== urlOf(spec) ? [{ warn: MOVED }] : []),
  ];
};

const MOVED =
  "spec.repository: the snapshots so far stay where they are; the operator uses the new place only if it holds the same repository";

/** Movers run as root only where their namespace consents. */
export function privileges(privilegedMover: boolean, { at, ...place }: MoverPlace): readonly Finding[] {
  return moverPrivileges({ privilegedMode: privilegedMover }, place).map((finding) =>
    "warn" in finding
      ? { warn: finding.warn.replace("mover.privilegedMode", `${at}.privilegedMover`) }
      : {
          refuse: {
            ...finding.refuse,
            field: `${at}.privilegedMover`,
            fix: finding.refuse.fix.replace("privilegedMode", "privilegedMover"),
          },
        },
  );
}
