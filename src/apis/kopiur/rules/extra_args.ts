import type { Violation } from "./violation.ts";

interface Decided {
  readonly why: string;
  readonly fix: string;
  readonly flags: readonly string[];
}

const SOURCES: Decided = {
  why: "what is backed up is what spec.sources names, compared with the identity's last snapshot",
  fix: "Remove it, and use spec.sources or policy.ignore; write the value of a flag with =, as in --flag=value",
  flags: ["--", "--files-from*", "--all", "--parent", "--skip-if-unchanged"],
};

/** Flags of either engine that are decided elsewhere, by the reason why they are not for extraArgs. */
const DECIDED: readonly Decided[] = [
  {
    why: "which snapshots are kept is decided by retention alone, so that no snapshot goes behind its Backup's back",
    fix: "Remove it, and use spec.retention",
    flags: ["--keep-*", "--forget", "--prune", "--pin"],
  },
  {
    why: "the repository and its credentials are those of spec.repository",
    fix: "Remove it, and set it in the Repository",
    flags: [
      "-r",
      "--repo",
      "--repository-file",
      "-p",
      "--password*",
      "--config-file",
      "--key-hint",
      "--insecure-*",
      "--no-lock",
      "--cacert",
      "--tls-client-cert",
    ],
  },
  SOURCES,
  {
    why: "the engine would back up nothing, or not say what it did",
    fix: "Remove it",
    flags: [
      "-n",
      "--dry-run",
      "-h",
      "--help*",
      "--version",
      "-q",
      "--quiet",
      "--json",
      "--no-json",
      "--no-progress",
    ],
  },
  {
    why: "it would have the mover run another program, which then has the repository's credentials",
    fix: "Remove it, and use spec.hooks",
    flags: ["-o", "--option*", "--stdin*"],
  },
  {
    why: "snapshots are found again by what the operator records with them",
    fix: "Remove it, and use spec.identity, sourcePathOverride or a Backup's tags",
    flags: [
      "-H",
      "--host*",
      "--username",
      "--override-*",
      "--tag",
      "--tags",
      "--description",
      "--time",
      "--start-time",
      "--end-time",
    ],
  },
];

/** Short flags without a value, behind whose dash others may stand. */
const SWITCHES = /^-[fvx]+(?=.)/;

/** What of the extra arguments for an engine is not to be said there. */
export function extraArgViolations(extraArgs: readonly string[] = []): readonly Violation[] {
  return extraArgs.flatMap((argument, index) => {
    const flag = (argument.split("=", 1)[0] ?? "").replace(SWITCHES, "-");
    // Behind a flag that takes no value, it would be a source of its own: which flags do, is the engine's secret.
    const decided = !argument.startsWith("-")
      ? SOURCES
      : DECIDED.find(({ flags }) => flags.some((one) => isFlag(flag, one)));
    if (!decided) return [];
    const { why, fix } = decided;
    const field = `spec.policy.extraArgs[${index}]`;
    return [{ reason: "ExtraArgForbidden", field, what: `${flag} cannot be passed on`, why, fix }];
  });
}

/** A short flag may have its value right behind it. */
function isFlag(given: string, known: string): boolean {
  if (known.endsWith("*")) return given.startsWith(known.slice(0, -1));
  return given === known || (known.length === 2 && given.startsWith(known) && !given.startsWith("--"));
}
