import { conditionOf, namedText, type ShownObject } from "../../../core/view/shown_object.ts";
import { ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import { GROUP } from "../../../kinds/kopiur/group.ts";

/** What would un-stick an object, where a condition or a reason asks for something particular. */
export function remediesOf(object: ShownObject): readonly string[] {
  const { kind, metadata } = object;
  const word = namedText(object);
  const where = metadata.namespace === undefined ? "" : ` -n ${metadata.namespace}`;
  // An earlier answer may still be there.
  const annotate = (annotation: string, value: string) =>
    `kubectl annotate --overwrite ${kind.toLowerCase()}.${GROUP} ${metadata.name}${where} ${annotation}=${value}`;
  return STEPS.flatMap(({ applies, step }) => (applies(object) ? [step({ object, word, annotate })] : []));
}

interface Step {
  readonly applies: (object: ShownObject) => boolean;
  readonly step: (about: {
    readonly object: ShownObject;
    readonly word: string;
    readonly annotate: (annotation: string, value: string) => string;
  }) => string;
}

const holds = (type: string) => (object: ShownObject) => conditionOf(object, type)?.status === "True";
const because =
  (...reasons: readonly string[]) =>
  (object: ShownObject) =>
    reasons.includes(conditionOf(object, "Ready")?.reason ?? "");

const STEPS: readonly Step[] = [
  {
    applies: holds("DeletionsHeld"),
    step: ({ object, annotate }) => {
      const { deletions } = (object.status ?? {}) as {
        readonly deletions?: { readonly acknowledgeToken?: string };
      };
      return `look which Backups are being deleted (holdfast list backups -A); if that is wanted: ${annotate(ANNOTATIONS.acknowledgeDeletions, deletions?.acknowledgeToken ?? "<token>")}`;
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
    applies: ({ kind, status }) =>
      ["Backup", "Restore"].includes(kind) && ["Running", "Restoring"].includes(status?.phase ?? ""),
    step: ({ word }) => `follow it: holdfast logs -f ${word}; end it: holdfast cancel ${word}`,
  },
  {
    applies: (object) => object.status?.phase === "Failed" && Boolean(object.status.logTail),
    step: ({ word }) => `read its last lines: holdfast logs ${word}`,
  },
  {
    applies: (object) => object.status?.phase === "Suspended",
    step: ({ word }) => `let it go on: holdfast resume ${word}`,
  },
];
