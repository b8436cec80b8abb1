import { durationMs } from "../../../core/policy/duration.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { Violation } from "./violation.ts";

/** They are kept in the status of every Backup, which is bounded. */
const LARGEST = 4096;

/** What the hooks of a recipe cannot be. */
export function hookLimits({ spec }: BackupConfig): readonly Violation[] {
  const { hooks = {} } = spec;
  const violations: Violation[] = [];
  const size = Buffer.byteLength(JSON.stringify(hooks));
  if (size > LARGEST) {
    violations.push({
      reason: "HooksTooLarge",
      field: "spec.hooks",
      what: `the hooks are ${size} bytes long`,
      why: `every Backup keeps them as they were when it began, and has ${LARGEST} bytes for them`,
      fix: "Put what they do into a script of the workload's image or of a ConfigMap",
    });
  }
  for (const moment of ["beforeSnapshot", "afterSnapshot"] as const) {
    for (const [index, hook] of (hooks[moment] ?? []).entries()) {
      for (const [kind, { timeout }] of Object.entries(hook)) {
        if (durationMs(timeout) > 0) continue;
        violations.push({
          reason: "Invalid",
          field: `spec.hooks.${moment}[${index}].${kind}.timeout`,
          what: `the hook has ${timeout} to run`,
          why: "no hook ends before it has begun",
          fix: "Give it more time, or leave timeout out",
        });
      }
    }
  }
  return violations;
}
