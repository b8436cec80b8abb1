import type { Violation } from "../reconcile/violation.ts";

/** What an API calls the places where the things are said that are not for extra arguments. */
export interface ExtraArgWords {
  /** Where the arguments stand. */
  readonly at: string;
  /** The fields that say what is backed up, and where. */
  readonly sources: string;
  readonly repository: string;
  /** What to do instead of a flag that says what is backed up, what is kept, where it goes, what else is run, and how
   * snapshots are called. */
  readonly instead: Readonly<Record<Exclude<Topic, "silent">, string>>;
}

type Topic = "retention" | "repository" | "sources" | "silent" | "programs" | "records";

/** Flags of any engine that are decided elsewhere. */
const FLAGS: Readonly<Record<Topic, readonly string[]>> = {
  retention: ["--keep-*", "--forget", "--prune", "--pin"],
  repository: [
    ...["-r", "--repo", "--repository-file", "-p", "--password*", "--config-file", "--key-hint"],
    ...["--insecure-*", "--no-lock", "--cacert", "--tls-client-cert"],
  ],
  sources: ["--", "--files-from*", "--all", "--parent", "--skip-if-unchanged"],
  silent: [
    ...["-n", "--dry-run", "-h", "--help*", "--version"],
    ...["-q", "--quiet", "--json", "--no-json", "--no-progress"],
  ],
  programs: ["-o", "--option*", "--stdin*"],
  records: [
    ...["-H", "--host*", "--username", "--override-*", "--tag", "--tags", "--description"],
    ...["--time", "--start-time", "--end-time"],
  ],
};

function whyNot(topic: Topic, { sources, repository }: ExtraArgWords): string {
  const why: Readonly<Record<Topic, string>> = {
    retention:
      "which snapshots are kept is decided by retention alone, so that no snapshot goes behind its back",
    repository: `the repository and its credentials are those of ${repository}`,
    sources: `what is backed up is what ${sources} names, compared with the identity's last snapshot`,
    silent: "the engine would back up nothing, or not say what it did",
    programs: "it would have the mover run another program, which then has the repository's credentials",
    records: "snapshots are found again by what the operator records with them",
  };
  return why[topic];
}

/** Short flags without a value, behind whose dash others may stand. */
const SWITCHES = /^-[fvx]+(?=.)/;

/** What of the extra arguments for an engine is not to be said there. */
export function extraArgViolations(
  extraArgs: readonly string[] | undefined,
  words: ExtraArgWords,
): readonly Violation[] {
  return (extraArgs ?? []).flatMap((argument, index) => {
    const flag = (argument.split("=", 1)[0] ?? "").replace(SWITCHES, "-");
    // Behind a flag that takes no value, it would be a source of its own: which flags do, is the engine's secret.
    const topic = argument.startsWith("-") ? topicOf(flag) : "sources";
    if (!topic) return [];
    const fix = topic === "silent" ? "Remove it" : `Remove it, and ${words.instead[topic]}`;
    return [
      {
        reason: "ExtraArgForbidden",
        field: `${words.at}[${index}]`,
        what: `${flag} cannot be passed on`,
        why: whyNot(topic, words),
        fix: topic === "sources" ? `${fix}; write the value of a flag with =, as in --flag=value` : fix,
      },
    ];
  });
}

function topicOf(flag: string): Topic | undefined {
  const topics = Object.keys(FLAGS) as Topic[];
  return topics.find((topic) => FLAGS[topic].some((one) => isFlag(flag, one)));
}

/** A short flag may have its value right behind it. */
function isFlag(given: string, known: string): boolean {
  if (known.endsWith("*")) return given.startsWith(known.slice(0, -1));
  return given === known || (known.length === 2 && given.startsWith(known) && !given.startsWith("--"));
}
