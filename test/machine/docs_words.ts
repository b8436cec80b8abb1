import { COMMANDS } from "../../src/cli/commands.ts";
import { holdfastWords } from "../unit/docs/command_problem.ts";
import { pageCommands } from "../unit/docs/page_commands.ts";
import type { Page } from "../unit/docs/pages.ts";

/* What a reader would put in for the words in capitals. No two kinds have an object of the same name, so that a page
   which gives one's name to another finds nothing. */

type Words = Readonly<Record<string, string>>;

/** On every page that says nothing else. */
const EVERYWHERE: Words = {
  NAMESPACE: "night",
  CONFIG: "documents",
  SCHEDULE: "nightly",
  BACKUP: "first",
  MAINTENANCE: "keeper",
  PLACE: "night",
  CLAIM: "came-back",
  "NEW-CLAIM": "fresh",
  TRIAL: "trial",
  PATH: "letters",
  "kind/name": "config/documents",
};

const OF_CONFIG: Words = { NAME: "documents", BACKUP: "running" };
const OF_REPOSITORY: Words = { NAME: "repository", "clusterrepository/NAME": "clusterrepository/shared" };
/** Of the ClusterRepository: in another namespace than BackupConfigs are. */
const OF_MAINTENANCE: Words = { NAMESPACE: "holdfast", NAME: "shared-keeper", ELSEWHERE: "night" };

/** What NAME is, by the alert or the sentence around it, and what has to be in another state than usual. */
const ON_PAGE: Readonly<Record<string, Words>> = {
  "docs/start.md": { NAME: "documents" },
  "docs/guides/cli.md": { "backup/monday": "backup/running", "backup/NAME": "backup/first" },
  "docs/guides/lost-cluster.md": { BACKUPS: "night", NAMESPACE: "rebuilt" },
  "docs/guides/maintenance.md": { NAME: "keeper" },
  "docs/guides/repositories.md": {
    NAME: "repository",
    "schedule/NAME": "schedule/nightly",
    "maintenance/NAME": "maintenance/keeper",
  },
  "docs/guides/restoring.md": { NAME: "documents" },
  "docs/guides/schedules-and-retention.md": { "backup/NAME": "backup/first" },
  "docs/guides/what-happens-when.md": { NAME: "repository", "backup/NAME": "backup/first" },
  "docs/reference/kopiur/names.md": { NAME: "repository" },
  "docs/guides/waiting-cancelling-deleting.md": { NAME: "waiting", "backup/first": "backup/running" },
  "docs/runbooks/HoldfastBackupFailing.md": { NAME: "documents", BACKUP: "failed" },
  "docs/runbooks/HoldfastBackupIncomplete.md": { NAME: "documents", BACKUP: "first" },
  "docs/runbooks/HoldfastBackupNeverRan.md": OF_CONFIG,
  "docs/runbooks/HoldfastBackupStale.md": OF_CONFIG,
  "docs/runbooks/HoldfastBreakerOpen.md": OF_REPOSITORY,
  "docs/runbooks/HoldfastCatalogShrunk.md": OF_REPOSITORY,
  "docs/runbooks/HoldfastDataMissing.md": OF_MAINTENANCE,
  "docs/runbooks/HoldfastMaintenanceOverdue.md": OF_MAINTENANCE,
  "docs/runbooks/HoldfastPlanOverdue.md": { NAME: "planned" },
  "docs/runbooks/HoldfastPruningPaused.md": { NAME: "documents" },
  "docs/runbooks/HoldfastBackupConfigBroken.md": { NAME: "documents", "schedule/NAME": "schedule/nightly" },
  "docs/runbooks/HoldfastRepositoryAway.md": {
    NAME: "away",
    "clusterrepository/NAME": "clusterrepository/gone",
  },
  "docs/runbooks/HoldfastRestoreFailed.md": { NAME: "lost" },
  "docs/runbooks/HoldfastSnapshotDeletionFailing.md": { BACKUP: "waiting" },
  "docs/runbooks/HoldfastVerificationFailed.md": OF_MAINTENANCE,
};

/** Pages whose `console` blocks are run in their order by `cli_guide.test.ts`. */
const IN_ORDER = new Set(["docs/start.md", "docs/guides/cli.md"]);
/** They need a terminal, VolSync's kinds in the cluster, objects to adopt, or what to restore; or go on until Ctrl-C. */
const NOT_HERE = new Set([
  "console",
  ...["browse monday", "migrate volsync", "restore", "restore --undo"],
  ...["adopt apply", "adopt apply library --volsync -n media", "adopt undo library -n media"],
  "restore --all -n NAMESPACE --as-of 2h ago",
]);

/** The commands of the command line that a page tells to run, as its reader would type them. */
export function nightCommands(page: Page): readonly (readonly string[])[] {
  const text = IN_ORDER.has(page.path) ? page.text.replaceAll(/^```console\n.*?^```$/gms, "") : page.text;
  return pageCommands(text).flatMap((command) => {
    const words = holdfastWords(command);
    if (!words || isMention(words) || NOT_HERE.has(words.join(" "))) return [];
    const filled = words.map((word) => filledIn(word, page.path));
    const [first = ""] = filled;
    const isPlaced = first.startsWith("-") || filled.some((word) => word === "-n" || word === "-A");
    // A guide's reader is in their namespace; at night nobody knows where one is.
    return [isPlaced || page.path.startsWith("docs/runbooks/") ? filled : [...filled, "-n", "night"]];
  });
}

/** A sentence may name a command without what it is about. */
function isMention(words: readonly string[]): boolean {
  const command = COMMANDS.find(({ name }) => name === words.join(" "));
  return words.length === 0 || (command?.args ?? []).some(({ optional }) => !optional);
}

/** Throws where nobody knows what a word stands for. */
function filledIn(word: string, page: string): string {
  const words = { ...EVERYWHERE, ...ON_PAGE[page] };
  const whole = words[word];
  if (whole !== undefined) return whole;
  return word.replace(/(?<![\w-])[A-Z][A-Z-]+(?![\w-])/g, (one) => {
    const meant = words[one];
    if (meant === undefined) throw new Error(`nobody knows what ${one} is on ${page}`);
    return meant;
  });
}
