import type { Violation } from "../../../core/reconcile/violation.ts";
import { engineLimits, mountLimits } from "../../../core/rules/engine_limits.ts";
import { type ExtraArgWords, extraArgViolations } from "../../../core/rules/extra_args.ts";
import { hookLimits } from "../../../core/rules/hook_limits.ts";
import { repeatedPaths } from "../../../core/rules/recorded_paths.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import type { EngineName } from "../../../wire/capabilities.ts";
import { namedPaths } from "./recorded_paths.ts";

const EXTRA_ARGS: ExtraArgWords = {
  at: "spec.policy.extraArgs",
  sources: "spec.sources",
  repository: "spec.repository",
  instead: {
    retention: "use spec.retention",
    repository: "set it in the Repository",
    sources: "use spec.sources or policy.ignore",
    programs: "use spec.hooks",
    records: "use spec.identity, sourcePathOverride or a Backup's tags",
  },
};
const OVERRIDE = "sourcePathOverride";

/** What a BackupConfig cannot be; `engine`: of its repository, where that is known. */
export function configLimits(config: BackupConfig, engine: EngineName | undefined): readonly Violation[] {
  const { policy, hooks } = config.spec;
  const paths = namedPaths(config);
  return [
    ...repeatedPaths(paths, OVERRIDE),
    ...hookLimits(hooks ?? {}, "spec.hooks"),
    ...extraArgViolations(policy.extraArgs, EXTRA_ARGS),
    ...(engine
      ? [...engineLimits(policy, engine, "spec.policy"), ...mountLimits(paths, engine, OVERRIDE)]
      : []),
  ];
}
