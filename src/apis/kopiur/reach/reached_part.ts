import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import { type Draft, type KubeObject, keyOf } from "../../../kube/object.ts";
import { jsonEqual } from "../../../lib/json.ts";
import { type Found, isPresent } from "../admission/lookup.ts";
import { type Consent, isGiven } from "../backup/delegate/consent.ts";
import { crossingForbidden } from "../rules/crossing.ts";
import { problemOf } from "../rules/violation.ts";
import { derivedName, isDerivedFrom, originKey } from "./derived_recipe.ts";
import { refusalIn } from "./recipe_refused.ts";

/** A namespace that a recipe is about, as it was seen. */
export interface ReachedNamespace {
  readonly config: BackupConfig;
  readonly namespace: string;
  readonly place: Found<KubeObject>;
  readonly consent: Consent;
  /** What has the name of the recipe that repeats it there. */
  readonly derived: BackupConfig | undefined;
  /** As that one should be. */
  readonly draft: Draft<BackupConfig>;
}

/**
 * How a recipe stands in a namespace. `making`: the recipe there is not as it should be yet. `empty`: no claim matches.
 */
export interface PartStand {
  readonly state: "ready" | "making" | "waiting" | "empty" | "failed";
  /** One CamelCase word. */
  readonly reason: string;
  readonly message: string;
}

/** Whether a recipe can be run on the claims of a namespace. */
export function standOfPart(seen: ReachedNamespace): PartStand {
  const { config, namespace, place, consent, derived, draft } = seen;
  if (place === "absent") {
    return failed("NamespaceNotFound", `Namespace ${namespace} does not exist. Create it, or leave it out.`);
  }
  if (place === "unknown" || consent === "unknown") {
    return {
      state: "waiting",
      reason: "NamespaceUnknown",
      message: `Namespace ${namespace} is not known yet.`,
    };
  }
  if (isPresent(place) && place.metadata.deletionTimestamp) {
    return failed("NamespaceGoing", `Namespace ${namespace} is being deleted. Leave it out.`);
  }
  if (!isGiven(consent)) {
    const crossing = { kind: "PersistentVolumeClaim", namespace, field: "spec.sources" } as const;
    const { reason, message } = problemOf(crossingForbidden(crossing, config.metadata.namespace ?? ""));
    return failed(reason, message);
  }
  const key = keyOf(derivedName(config, namespace));
  if (derived && !isDerivedFrom(derived, config) && originKey(derived) === keyOf(config)) {
    const message = `BackupConfig ${key} repeats one that is gone, and goes first.`;
    return { state: "waiting", reason: "Deriving", message };
  }
  if (derived && !isDerivedFrom(derived, config)) {
    return failed(
      "NameTaken",
      `BackupConfig ${key} is there already, and does not repeat this one. Delete it.`,
    );
  }
  if (!derived || derived.metadata.deletionTimestamp || !jsonEqual(derived.spec, draft.spec)) {
    const making: PartStand = {
      state: "making",
      reason: "Deriving",
      message: `BackupConfig ${key} is made, to repeat this one.`,
    };
    return refusalIn(config, namespace) ?? making;
  }
  return standThere(derived);
}

function standThere(derived: BackupConfig): PartStand {
  const { metadata, status } = derived;
  const seen = status?.observedGeneration === metadata.generation;
  if (seen && status?.phase === "Ready") {
    return { state: "ready", reason: "Ready", message: "The recipe can be run." };
  }
  const { reason = "Pending", message = "It has not been looked at yet." } =
    status?.conditions?.find(({ type }) => type === "Ready") ?? {};
  const said = { reason, message: `BackupConfig ${keyOf(derived)}: ${message}` };
  if (!seen || status?.phase !== "Failed") return { state: "waiting", ...said };
  return { state: reason === "NoSources" ? "empty" : "failed", ...said };
}

function failed(reason: string, message: string): PartStand {
  return { state: "failed", reason, message };
}
