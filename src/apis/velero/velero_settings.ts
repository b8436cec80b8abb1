import { isRecord } from "../../lib/json.ts";

/** What is set for this API. */
export interface VeleroSettings {
  /**
   * The namespace of Velero. Whoever serves this API lets movers be root there: those who may create objects in it reach
   * the volumes of all pods, as with Velero itself. Other namespaces need an annotation.
   */
  readonly namespace: string;
  /** The ConfigMap there with the settings of the node agent. */
  readonly nodeAgentConfigMap: string;
  /**
   * `Full`: what kopia does not keep goes into a record beside each snapshot, and nothing in the data excludes anything.
   * Default `Engine`: what Velero keeps.
   */
  readonly fidelity?: "Engine" | "Full";
  /** The folder in which kubelets keep what belongs to pods. Default: where they have it by themselves. */
  readonly podsFolder?: string;
}

const DEFAULTS: VeleroSettings = { namespace: "velero", nodeAgentConfigMap: "node-agent-config" };
const NAMES = ["namespace", "nodeAgentConfigMap", "fidelity", "podsFolder"] as const;

/** Reads the settings. Throws on what it does not understand. */
export function veleroSettings(given: unknown): VeleroSettings {
  if (given === undefined) return DEFAULTS;
  if (!isRecord(given)) throw new Error(`velero is ${JSON.stringify(given)}: it must be an object`);
  const unknown = Object.keys(given).find((name) => !NAMES.some((known) => known === name));
  if (unknown !== undefined) throw new Error(`velero.${unknown} is no setting of this API`);
  for (const [name, value] of Object.entries(given)) {
    if (typeof value !== "string" || value === "")
      throw new Error(`velero.${name} is ${JSON.stringify(value)}: it must be a text`);
  }
  const { podsFolder, fidelity = "Engine" } = given;
  if (fidelity !== "Engine" && fidelity !== "Full")
    throw new Error(`velero.fidelity is ${JSON.stringify(fidelity)}: it must be Engine or Full`);
  if (typeof podsFolder === "string" && !/^(\/[^/]+)*\/pods$/.test(podsFolder))
    throw new Error(
      `velero.podsFolder is ${JSON.stringify(podsFolder)}: it must be an absolute path that ends with /pods`,
    );
  return { ...DEFAULTS, ...given };
}
