import { ANNOTATIONS, LABELS } from "../../../kinds/plumber/words.ts";
import type { ParsedPvc } from "./parse_pvc.ts";

/** Whether the operator may write for a PVC; a shut gate means audit, with the reason. */
export type Gate = { readonly open: true } | { readonly open: false; readonly why: string };

/** Both gates: the label of the namespace, and the three labels of the PVC. Nothing is written for another's identity. */
export function gateOf(
  pvc: Pick<ParsedPvc, "enabled" | "managed" | "hasTier" | "isBorrowed">,
  managedNamespace: boolean,
): Gate {
  if (!managedNamespace) return shut(`the namespace has no label ${LABELS.managedNamespace}: "true"`);
  if (pvc.enabled === undefined) return shut(`the PVC has no label ${LABELS.enabled}: "true"`);
  if (!pvc.managed) return shut(`the PVC has no label ${LABELS.manage}: "true"`);
  if (pvc.isBorrowed) {
    return shut(
      `${ANNOTATIONS.backupIdentity} is of another namespace, and was not set by someone who may get Backups there: set it again`,
    );
  }
  return pvc.hasTier ? { open: true } : shut(`the PVC has no label ${LABELS.tier}`);
}

const shut = (why: string): Gate => ({ open: false, why });
