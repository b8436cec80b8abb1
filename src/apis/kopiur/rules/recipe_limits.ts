import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import { CAPABILITIES, type EngineName } from "../../../wire/capabilities.ts";
import { POD_LAYOUT } from "../../../wire/pod_layout.ts";
import { namedPaths, type RecordedPath } from "./recorded_paths.ts";
import type { Violation } from "./violation.ts";

/** What a recipe asks of an engine that the engine does not have. */
export function recipeLimits(config: BackupConfig, engine: EngineName): readonly Violation[] {
  const { policy } = config.spec;
  const can = CAPABILITIES[engine];
  const violations: Violation[] = [];
  const { compressor, neverCompress } = policy.compression ?? {};
  const unknown = unknownCompressor(compressor, engine, "spec.policy.compression.compressor");
  if (unknown) violations.push(unknown);
  if (neverCompress?.length && !can.neverCompress) {
    violations.push({
      reason: "Unsupported",
      field: "spec.policy.compression.neverCompress",
      what: `${engine} cannot leave files uncompressed by name`,
      why: "it compresses all files alike, or none",
      fix: "Leave neverCompress out, or use a repository of engine kopia",
    });
  }
  if (policy.ignore?.files?.length && !can.ignoreFiles) {
    violations.push({
      reason: "Unsupported",
      field: "spec.policy.ignore.files",
      what: `${engine} cannot go by files in the data that say what is left out`,
      why: "it does not look for any",
      fix: "List their patterns in policy.ignore.paths, or use a repository of engine kopia",
    });
  }
  if (policy.splitter !== undefined && can.splitters.length === 0) {
    violations.push({
      reason: "Unsupported",
      field: "spec.policy.splitter",
      what: `${engine} cannot use the splitter ${policy.splitter}`,
      why: "it has one way to cut files into pieces, and no choice",
      fix: "Leave splitter out, or use a repository of engine kopia",
    });
  }
  return can.overridesPath ? violations : [...violations, ...mountLimits(namedPaths(config), engine)];
}

export function unknownCompressor(
  compressor: string | undefined,
  engine: EngineName,
  field: string,
): Violation | undefined {
  const { compression } = CAPABILITIES[engine];
  if (compressor === undefined || compression.includes(compressor)) return undefined;
  return {
    reason: "Unsupported",
    field,
    what: `${engine} cannot compress with ${compressor}`,
    why: "it has no such compressor",
    fix: `Choose one of ${compression.join(", ")}`,
  };
}

/** Folders of a mover's pod that nothing can be mounted over. */
const TAKEN = ["/bin", "/dev", "/etc", "/lib", "/lib64", "/proc", "/run", "/sbin", "/sys", "/usr", "/var"];
const OURS = [POD_LAYOUT.work.split("/").slice(0, 2).join("/"), POD_LAYOUT.scratch];

/** An engine that records the path that it reads gets each volume mounted there. */
function mountLimits(paths: readonly RecordedPath[], engine: EngineName): readonly Violation[] {
  return paths.flatMap(({ path, field }, index) => {
    const why = unmountable(path, paths.slice(0, index));
    if (why === undefined) return [];
    return [
      {
        reason: "Unsupported",
        field,
        what: `${engine} cannot record a volume as ${path}`,
        why: `it records the path that a volume is mounted at, and ${why}`,
        fix: "Choose another sourcePathOverride, such as /data, or use a repository of engine kopia",
      },
    ];
  });
}

function unmountable(path: string, others: readonly RecordedPath[]): string | undefined {
  if (/[:,]|\/\.\.?(\/|$)|\/\/|.\/$|^\/$/.test(path)) return "nothing can be mounted there";
  const taken = [...TAKEN, ...OURS].find((folder) => isWithin(path, folder));
  if (taken) return `${taken} is taken in a mover's pod`;
  const other = others.find((one) => isWithin(path, one.path) || isWithin(one.path, path));
  return other && `${other.path} of another source is in the way`;
}

function isWithin(path: string, folder: string): boolean {
  return path === folder || path.startsWith(`${folder}/`);
}
