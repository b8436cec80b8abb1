import type { TruthWriting } from "../../../core/catalog/truth/publish_truth.ts";
import { TRUTH } from "../../../kinds/plumber/words.ts";
import { FIELD_MANAGER } from "../field_manager.ts";

/** Where the list of backups is published. */
export function truthPlace(namespace: string): TruthWriting {
  return { namespace, ...TRUTH, fieldManager: FIELD_MANAGER };
}
