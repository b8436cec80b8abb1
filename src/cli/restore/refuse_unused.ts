import type { Given } from "../frame/given.ts";
import { referenceOf } from "../frame/kinds.ts";
import { misuse } from "../frame/problem.ts";
import { identityIn } from "./identity_in.ts";

type Source = "backup/…" | "config/…" | "an identity";
type Target = "--to" | "--into" | "--for-claims";

/** Options that only some sources use. */
const OF_SOURCES: Readonly<Record<string, readonly Source[]>> = {
  snapshot: ["an identity"],
  repository: ["an identity"],
  pvc: ["backup/…", "config/…"],
  // A Backup is one snapshot: there is nothing to choose among.
  "as-of": ["config/…", "an identity"],
  offset: ["config/…", "an identity"],
};

/** Options that only some targets use. */
const OF_TARGETS: Readonly<Record<string, readonly Target[]>> = {
  capacity: ["--to"],
  "storage-class": ["--to"],
  "access-mode": ["--to"],
  "scale-down": ["--into"],
  existing: ["--into"],
  "delete-extra": ["--into"],
  "confirm-deletion": ["--into"],
  "backup-first": ["--into"],
  "no-backup-first": ["--into"],
};

/** Throws a CommandProblem on an option that would change nothing: whoever gave it expects that it does. */
export function refuseUnused(given: Given): void {
  refuseOthers(given, OF_SOURCES, sourceIn(given));
  const target = targetIn(given);
  if (target) refuseOthers(given, OF_TARGETS, target);
  if (has(given, "snapshot") && (has(given, "as-of") || has(given, "offset")))
    throw misuse("--snapshot names one snapshot", "Leave --as-of and --offset out.");
  if (has(given, "backup-first") && has(given, "no-backup-first"))
    throw misuse("--backup-first and --no-backup-first contradict each other", "Leave one of them out.");
}

function refuseOthers(given: Given, uses: Readonly<Record<string, readonly string[]>>, way: string): void {
  for (const [option, used] of Object.entries(uses)) {
    if (has(given, option) && !used.includes(way))
      throw misuse(
        `--${option} has no effect with ${way}`,
        `It is for ${used.join(" and ")}: leave it out, or restore in that way.`,
      );
  }
}

function has(given: Given, option: string): boolean {
  return given.flag(option) || given.text(option) !== undefined;
}

function sourceIn(given: Given): Source {
  if (identityIn(given.word(0))) return "an identity";
  const { resource } = referenceOf(given.word(0), { kinds: ["backup", "config"], usual: "backup" });
  return resource.kind === "Backup" ? "backup/…" : "config/…";
}

/** Undefined where none is named: that is refused with a reason of its own. */
function targetIn(given: Given): Target | undefined {
  return (["--to", "--into", "--for-claims"] as const).find((way) => has(given, way.slice(2)));
}
