import { CAPABILITIES, type EngineName } from "../../wire/capabilities.ts";
import { POD_LAYOUT } from "../../wire/pod_layout.ts";
import type { Violation } from "../reconcile/violation.ts";
import { enginesThat } from "../repository/repository_limits.ts";
import type { RecordedPath } from "./recorded_paths.ts";

/** How an engine is to store files. */
export interface FilePolicy {
  readonly compression?: { readonly compressor?: string; readonly neverCompress?: readonly string[] };
  readonly ignore?: { readonly files?: readonly string[] };
  readonly splitter?: string;
}

/** What is asked of an engine that the engine does not have. `at`: where the policy stands. */
export function engineLimits(
  { compression = {}, ignore, splitter }: FilePolicy,
  engine: EngineName,
  at = "policy",
): readonly Violation[] {
  const can = CAPABILITIES[engine];
  const { compressor, neverCompress } = compression;
  const unknown = unknownCompressor(compressor, engine, `${at}.compression.compressor`);
  const violations: Violation[] = unknown ? [unknown] : [];
  const reason = "Unsupported";
  const able = (has: Parameters<typeof enginesThat>[0]) => `use a repository of engine ${enginesThat(has)}`;
  if (neverCompress?.length && !can.neverCompress) {
    violations.push({
      reason,
      field: `${at}.compression.neverCompress`,
      what: `${engine} cannot leave files uncompressed by name`,
      why: "it compresses all files alike, or none",
      fix: `Leave neverCompress out, or ${able((one) => one.neverCompress)}`,
    });
  }
  if (ignore?.files?.length && !can.ignoreFiles) {
    violations.push({
      reason,
      field: `${at}.ignore.files`,
      what: `${engine} cannot go by files in the data that say what is left out`,
      why: "it does not look for any",
      fix: `List their patterns in ${at.replace(/^spec\./, "")}.ignore.paths, or ${able((one) => one.ignoreFiles)}`,
    });
  }
  if (splitter !== undefined && can.splitters.length === 0) {
    violations.push({
      reason,
      field: `${at}.splitter`,
      what: `${engine} cannot use the splitter ${splitter}`,
      why: "it has one way to cut files into pieces, and no choice",
      fix: `Leave splitter out, or ${able(({ splitters }) => splitters.length > 0)}`,
    });
  }
  return violations;
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

/** An engine that records the path that it reads gets each volume mounted there. `override`: the field with another path. */
export function mountLimits(
  paths: readonly RecordedPath[],
  engine: EngineName,
  override: string,
): readonly Violation[] {
  if (CAPABILITIES[engine].overridesPath) return [];
  const others = enginesThat(({ overridesPath }) => overridesPath);
  return paths.flatMap(({ path, field }, index) => {
    const why = unmountable(path, paths.slice(0, index));
    if (why === undefined) return [];
    return [
      {
        reason: "Unsupported",
        field,
        what: `${engine} cannot record a volume as ${path}`,
        why: `it records the path that a volume is mounted at, and ${why}`,
        fix: `Choose another ${override}, such as /data, or use a repository of engine ${others}`,
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
