import { ANNOTATIONS } from "../../kinds/kopiur/annotations.ts";
import { conditionOf, type NativeObject } from "../frame/kinds.ts";

/** What would un-stick an object, where a condition or a reason asks for something particular. */
export function nextSteps(object: NativeObject): readonly string[] {
  const { kind, metadata } = object;
  const word = `${kind.toLowerCase()}/${metadata.name}`;
  const annotate = (annotation: string, value: string) =>
    `kubectl annotate ${kind.toLowerCase()}.kopiur.home-operations.com ${metadata.name}${metadata.namespace ? ` -n ${metadata.namespace}` : ""} ${annotation}=${value}`;
  return STEPS.flatMap(({ applies, step }) => (applies(object) ? [step({ object, word, annotate })] : []));
}

interface Step {
  readonly applies: (object: NativeObject) => boolean;
  readonly step: (about: {
    readonly object: NativeObject;
    readonly word: string;
    readonly annotate: (annotation: string, value: string) => string;
  }) => string;
}

const holds = (type: string) => (object: NativeObject) => conditionOf(object, type)?.status === "True";
const because =
  (...reasons: readonly string[]) =>
  (object: NativeObject) =>
    reasons.includes(conditionOf(object, "Ready")?.reason ?? "");

const STEPS: readonly Step[] = [
  {
    applies: holds("DeletionsHeld"),
    step: ({ object, annotate }) => {
      const { deletions } = (object.status ?? {}) as {
        readonly deletions?: { readonly acknowledgeToken?: string };
      };
      return `look which Backups are being deleted (holdfast list backups); if that is wanted: ${annotate(ANNOTATIONS.acknowledgeDeletions, deletions?.acknowledgeToken ?? "<token>")}`;
    },
  },
  {
    applies: holds("CatalogShrunk"),
    step: () =>
      "find out who deletes snapshots in the repository; the condition says how to accept the loss.",
  },
  {
    applies: because("Queued"),
    step: () => "wait, or raise spec.concurrency.maxRuns of the repository; holdfast status shows what runs.",
  },
  {
    applies: because("BreakerOpen"),
    step: () => "see to the storage; it is tried by itself, and everything goes on when it answers.",
  },
  {
    applies: because("OwnedByAnother"),
    step: ({ annotate }) =>
      `if the other one is gone for good: ${annotate(ANNOTATIONS.acknowledgeTakeover, "<its name, from the message>")}`,
  },
  {
    applies: (object) => ["Backup", "Restore"].includes(object.kind) && object.status?.phase === "Running",
    step: ({ word }) => `follow it: holdfast logs ${word} -f; end it: holdfast cancel ${word}`,
  },
  {
    applies: (object) => object.status?.phase === "Failed" && Boolean(object.status.logTail),
    step: ({ word }) => `read its last lines: holdfast logs ${word}`,
  },
  {
    applies: (object) => object.status?.phase === "Suspended",
    step: ({ word }) => `let it go on: holdfast resume ${word.replace("backupschedule/", "schedule/")}`,
  },
];
