import { durationMs } from "../policy/duration.ts";
import type { Violation } from "../reconcile/violation.ts";

/** They are kept in the status of every Backup, which is bounded. */
const LARGEST = 4096;

type TimedHook = Readonly<Record<string, { readonly timeout: string } | undefined>>;

/** What is done before and after the capture of volumes, each by its kind. */
export interface TimedHooks {
  readonly beforeSnapshot?: readonly TimedHook[];
  readonly afterSnapshot?: readonly TimedHook[];
}

/** What hooks cannot be. `at`: where they stand. */
export function hookLimits(hooks: TimedHooks, at: string): readonly Violation[] {
  const violations: Violation[] = [];
  const size = Buffer.byteLength(JSON.stringify(hooks));
  if (size > LARGEST) {
    violations.push({
      reason: "HooksTooLarge",
      field: at,
      what: `the hooks are ${size} bytes long`,
      why: `every backup keeps them as they were when it began, and has ${LARGEST} bytes for them`,
      fix: "Put what they do into a script of the workload's image or of a ConfigMap",
    });
  }
  for (const moment of ["beforeSnapshot", "afterSnapshot"] as const) {
    for (const [index, hook] of (hooks[moment] ?? []).entries()) {
      for (const [kind, { timeout } = { timeout: "" }] of Object.entries(hook)) {
        if (timeout === "" || durationMs(timeout) > 0) continue;
        violations.push({
          reason: "Invalid",
          field: `${at}.${moment}[${index}].${kind}.timeout`,
          what: `the hook has ${timeout} to run`,
          why: "no hook ends before it has begun",
          fix: "Give it more time, or leave timeout out",
        });
      }
    }
  }
  return violations;
}
