import { TRIGGERS } from "../../../kinds/autorestore/annotations.ts";
import { type Draft, type KubeObject, keyOf } from "../../../kube/object.ts";
import type { NotMade } from "../../../kube/write/create_marked.ts";
import type { EventNote } from "../../../kube/write/events.ts";
import type { What } from "./triggers.ts";

/* What is said of annotations that made nothing. */

export function nameTaken(there: KubeObject): EventNote {
  const message = `${there.kind} ${keyOf(there)} exists already, so the annotation made none of this name. Annotate again with another name.`;
  return { type: "Warning", reason: "NameTaken", message };
}

export function nothingClaimed(config: KubeObject, what: What): EventNote {
  const message = `The annotation ${TRIGGERS[what][0]} of BackupConfig ${keyOf(config)} made nothing, because the BackupConfig manages no PVC. Annotate again once its status.managedPVCs names one.`;
  return { type: "Warning", reason: "NothingManaged", message };
}

export function meansNothing(claim: KubeObject, value: string): EventNote {
  const message = `PersistentVolumeClaim ${keyOf(claim)} is not restored: ${JSON.stringify(value)} is neither latest, nor the ID of a snapshot, nor the name of a ResticBackup. Annotate again with one of these.`;
  return { type: "Warning", reason: "AnnotationInvalid", message };
}

export function notMadeText(kind: string, { metadata }: Named, notMade: NotMade<KubeObject>): EventNote {
  if (notMade.type === "Taken") return nameTaken(notMade.by);
  const { namespace, name = "" } = metadata;
  const message = `The API server takes no ${kind} ${keyOf({ namespace, name })}, which an annotation asks for: ${notMade.said}. Nothing is made for it. Annotate again with another value.`;
  return { type: "Warning", reason: "AnnotationInvalid", message };
}

type Named = Pick<Draft<KubeObject>, "metadata">;
