import type { Container } from "kubernetes-types/core/v1.d.ts";
import type { Pod } from "../../../kube/builtin.ts";
import type { Image } from "./environment.ts";
import { Unavailable } from "./keyed_data.ts";
import type { RunAs } from "./launch_script.ts";

/** What root has in a container that asks for nothing special, as container runtimes have it. */
const DEFAULT_CAPABILITIES = [
  "audit_write",
  "chown",
  "dac_override",
  "fowner",
  "fsetid",
  "kill",
  "mknod",
  "net_bind_service",
  "net_raw",
  "setfcap",
  "setgid",
  "setpcap",
  "setuid",
  "sys_chroot",
];

/**
 * Whom a container runs as: runAsUser, runAsGroup, supplementalGroups, fsGroup, runAsNonRoot, privileged,
 * allowPrivilegeEscalation and capabilities count; SELinux, AppArmor and seccomp are passed over. Throws
 * Unavailable for a container that must not run as root and would.
 */
export function runAs(pod: Pod, container: Container, image: Image): RunAs {
  const general = pod.spec?.securityContext ?? {};
  const own = container.securityContext ?? {};
  const user = own.runAsUser ?? general.runAsUser ?? image.user;
  const group = own.runAsGroup ?? general.runAsGroup;
  if ((own.runAsNonRoot ?? general.runAsNonRoot) && !user) {
    throw new Unavailable(
      `container has runAsNonRoot and image will run as root: set runAsUser for container ${container.name}`,
    );
  }
  const groups = [
    ...(general.supplementalGroups ?? []),
    ...(general.fsGroup === undefined ? [] : [general.fsGroup]),
  ];
  return {
    ...(user === undefined ? {} : { user }),
    ...(group === undefined ? {} : { group }),
    groups,
    noNewPrivileges: own.allowPrivilegeEscalation === false,
    ...(own.privileged ? {} : { capabilities: capabilitiesOf(own.capabilities) }),
  };
}

function capabilitiesOf({
  add = [],
  drop = [],
}: {
  add?: string[];
  drop?: string[];
} = {}): readonly string[] {
  const name = (capability: string) => capability.toLowerCase().replace(/^cap_/, "");
  const dropped = drop.map(name);
  const kept = dropped.includes("all") ? [] : DEFAULT_CAPABILITIES.filter((c) => !dropped.includes(c));
  return [...new Set([...kept, ...add.map(name)])].filter((c) => /^[a-z_]+$/.test(c));
}
