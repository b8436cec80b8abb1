import type { Job } from "../../../../kinds/cozystack/generated/job.ts";
import { names } from "../template_data.ts";

/** Whether pods of a strategy restore. A template that does not know that it restores would back up once more. */
export function canRestore({ template, restoreTemplate }: Job["spec"]): boolean {
  return restoreTemplate !== undefined || names(template, "Mode") || names(template, "Job");
}
