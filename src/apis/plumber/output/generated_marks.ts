import { GENERATED } from "../../../kinds/plumber/words.ts";
import type { KubeObject } from "../../../kube/object.ts";
import { isAsWanted } from "../../../kube/write/differing_fields.ts";
import { labelValue, suffixed } from "../../../lib/names.ts";
import type { ParsedPvc } from "../policy/parse_pvc.ts";
import type { PlumberSettings } from "../settings.ts";
import type { Wanted } from "./output.ts";

export interface GeneratedNames {
  readonly config: string;
  readonly schedule: string;
  readonly restore: string;
}

/** What the objects of a PVC are called. */
export function generatedNames(pvc: string, strategy: PlumberSettings["namingStrategy"]): GeneratedNames {
  if (strategy === "legacy-backup") {
    const name = suffixed(pvc, "-backup");
    return { config: name, schedule: name, restore: name };
  }
  return { config: pvc, schedule: pvc, restore: suffixed(pvc, "-dst") };
}

/** A label value may have 63 characters and no slash: the annotations of the same names hold the whole. */
export function generatedMarks({
  namespace,
  name,
  pvc,
}: {
  readonly namespace: string;
  readonly name: string;
  readonly pvc: Pick<ParsedPvc, "identity" | "tier">;
}) {
  return {
    labels: {
      [GENERATED.managedBy]: GENERATED.manager,
      [GENERATED.sourceNamespace]: labelValue(namespace),
      [GENERATED.sourcePvc]: labelValue(name),
      [GENERATED.backupIdentity]: labelValue(pvc.identity.text),
      [GENERATED.tier]: pvc.tier ?? "manual",
      [GENERATED.volsyncPvc]: labelValue(name),
    },
    annotations: {
      [GENERATED.sourcePvc]: name,
      [GENERATED.backupIdentity]: pvc.identity.text,
    },
  };
}

/** Whether the operator made it: nothing else is ever written to. */
export function isGenerated({ metadata }: Pick<KubeObject, "metadata">): boolean {
  return metadata.labels?.[GENERATED.managedBy] === GENERATED.manager;
}

/** Whether an object of the operator's own is not as it is to be; of others it is not asked. */
export function needsCorrection({ metadata, spec }: Wanted["object"], present: KubeObject): boolean {
  if (!isGenerated(present) || present.metadata.deletionTimestamp) return false;
  const { labels, annotations } = metadata;
  const unused = present.metadata.annotations?.[GENERATED.unusedSince] !== undefined;
  return unused || !isAsWanted({ spec, metadata: { labels, annotations } }, present);
}
