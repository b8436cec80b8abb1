import type { PodSecurityContext, SecurityContext } from "kubernetes-types/core/v1.d.ts";
import type { MoverSettings } from "./mover_settings.ts";

/** What a mover takes over from a workload's pod, for the settings of the same names. */
export interface InheritedSecurity {
  readonly podSecurityContext: Pick<PodSecurityContext, "supplementalGroups">;
  readonly securityContext: Pick<
    SecurityContext,
    "runAsUser" | "runAsGroup" | "runAsNonRoot" | "seLinuxOptions"
  >;
}

type Given = Pick<MoverSettings, "podSecurityContext" | "securityContext">;

/** What a mover's pod may do: Kubernetes' restricted profile, apart from what the settings ask for. */
export function moverPodSecurity(given: Given): PodSecurityContext {
  const {
    fsGroup,
    fsGroupChangePolicy: _,
    supplementalGroups = [],
    ...rest
  } = given.podSecurityContext ?? {};
  const groups = new Set([...supplementalGroups, ...(fsGroup === undefined ? [] : [fsGroup])]);
  return {
    runAsNonRoot: userOf(given) !== 0,
    seccompProfile: { type: "RuntimeDefault" },
    ...rest,
    ...(groups.size > 0 ? { supplementalGroups: [...groups] } : {}),
  };
}

export function moverSecurity(given: Given): SecurityContext {
  const { capabilities, ...rest } = given.securityContext ?? {};
  return {
    // The API server refuses the two together.
    ...(rest.privileged ? {} : { allowPrivilegeEscalation: false }),
    readOnlyRootFilesystem: true,
    ...rest,
    capabilities: { drop: ["ALL"], ...capabilities },
  };
}

function userOf({ podSecurityContext, securityContext }: Given): number | undefined {
  return securityContext?.runAsUser ?? podSecurityContext?.runAsUser;
}
