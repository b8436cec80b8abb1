import type { SecurityContext, Toleration, Volume, VolumeMount } from "kubernetes-types/core/v1.d.ts";
import type { MoverSettings } from "../../../core/work/mover_settings.ts";
import type { DaemonSet } from "../../../kube/builtin.ts";

/** The DaemonSet that a Velero server looks for, in the namespace of its objects. */
export const NODE_AGENT = "node-agent";

/** Variables that say something of the node agent's own pod. */
const OWN_VARIABLES: ReadonlySet<string> = new Set([
  "NODE_NAME",
  "VELERO_NAMESPACE",
  "VELERO_SCRATCH_DIR",
  "LD_LIBRARY_PATH",
]);
/** Where movers have what is theirs. */
const OWN_FOLDERS = /^\/((holdfast|tmp|dev|proc|sys|usr|bin|lib)(\/|$)|$)/;

/**
 * A DaemonSet's pods outlive the loss of their node, and movers do not: nothing would tell that they are lost. These come
 * first, as the first toleration that fits is the one that counts.
 */
const LOST_NODE: readonly Toleration[] = ["unreachable", "not-ready"].map((what) => ({
  key: `node.kubernetes.io/${what}`,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: 300,
}));

/** What movers take over from the node agent. Host paths and other volumes are not among it, nor is its account. */
export type Inherited = Pick<MoverSettings, "env" | "files" | "securityContext" | "tolerations">;

/** Pure: what the movers of a namespace inherit. */
export function inheritedFrom(agent: DaemonSet | undefined): Inherited {
  const pod = agent?.spec?.template.spec;
  const [container] = pod?.containers ?? [];
  if (!container) return {};
  const env = (container.env ?? []).flatMap(({ name, value }) =>
    value === undefined || OWN_VARIABLES.has(name) ? [] : [[name, value] as const],
  );
  const files = (container.volumeMounts ?? []).flatMap((mount) => filesAt(mount, pod?.volumes ?? []));
  const securityContext = securityOf(container.securityContext, pod?.securityContext);
  return {
    ...(env.length > 0 ? { env: Object.fromEntries(env) } : {}),
    ...(files.length > 0 ? { files } : {}),
    ...(securityContext ? { securityContext } : {}),
    ...(pod?.tolerations ? { tolerations: [...LOST_NODE, ...pod.tolerations] } : {}),
  };
}

function filesAt(
  { name, mountPath, subPath }: VolumeMount,
  volumes: readonly Volume[],
): NonNullable<Inherited["files"]> {
  if (OWN_FOLDERS.test(mountPath)) return [];
  const { configMap, secret } = volumes.find((volume) => volume.name === name) ?? {};
  const place = { mountPath, ...(subPath ? { subPath } : {}) };
  if (configMap) return [{ ...place, configMap }];
  return secret ? [{ ...place, secret }] : [];
}

/** Movers are root in any case. What else lets them at the folders of a kubelet is the node agent's. */
function securityOf(
  container: SecurityContext | undefined,
  pod: Pick<SecurityContext, "seLinuxOptions"> | undefined,
): SecurityContext | undefined {
  const seLinuxOptions = container?.seLinuxOptions ?? pod?.seLinuxOptions;
  const found = {
    ...(container?.privileged ? { privileged: true } : {}),
    ...(seLinuxOptions ? { seLinuxOptions } : {}),
  };
  return Object.keys(found).length > 0 ? found : undefined;
}
