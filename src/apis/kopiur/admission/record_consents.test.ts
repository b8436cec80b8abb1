import { describe, expect, test } from "vitest";
import { CONSENT_ANNOTATION, DERIVED_ANNOTATIONS } from "../../../kinds/kopiur/annotations.ts";
import type { BackupConfig } from "../../../kinds/kopiur/generated/backup_config.ts";
import { type Crossing, crossingToken } from "../rules/crossing.ts";
import { type Crossings, configCrossings } from "./crossings.ts";
import { MOST_QUESTIONS, recordConsents } from "./record_consents.ts";
import { config as manifest, repository } from "./testing/manifests.ts";
import { storedOf } from "./testing/memory_door.ts";
import { memoryLookup } from "./testing/memory_lookup.ts";

const NAS = "Repository/tenant-b/nas";
const SECRETS = "Secret/tenant-b/*";
const BOTH = `${NAS},${SECRETS}`;
const to = (name: string) => ({ repository: { name, namespace: "tenant-b" } });
const config = (spec: object, consents?: string) =>
  storedOf(
    manifest({
      spec,
      ...(consents === undefined ? {} : { annotations: { [CONSENT_ANNOTATION]: consents } }),
    }),
  ) as BackupConfig;

const CLAIMS = "PersistentVolumeClaim/tenant-b/*";
const REACHING = { sources: [{ pvcSelector: { namespaceSelector: { matchNames: ["tenant-b"] } } }] };
const repeated = (object: BackupConfig): BackupConfig => {
  const annotations = { [DERIVED_ANNOTATIONS.from]: "tenant-b/all" };
  return { ...object, metadata: { ...object.metadata, annotations } };
};

interface Asked {
  readonly object: BackupConfig;
  readonly old?: BackupConfig;
  readonly isOperator?: boolean;
  readonly crossings?: Crossings<BackupConfig>;
  /** What the author may get. Default: everything. */
  readonly may?: (token: string) => boolean;
}

/** What is written down, and what was asked about. */
async function recorded(asked: Asked) {
  const { object, old, isOperator = false, crossings = configCrossings, may = () => true } = asked;
  const listing = storedOf(
    repository({ namespace: "tenant-b", name: "open", spec: { allowedNamespaces: { all: true } } }),
  );
  const lookup = memoryLookup(new Map([["Repository tenant-b/open", listing]]));
  const questions: string[] = [];
  const mayGet = async (crossing: Crossing) => {
    const token = crossingToken(crossing);
    questions.push(token);
    return may(token);
  };
  const around = { lookup, isOperator, operatorNamespace: "platform" };
  const request = { change: { object, old }, crossings, around, mayGet };
  const { metadata } = await recordConsents(request);
  return { written: metadata.annotations?.[CONSENT_ANNOTATION], questions };
}

describe("recordConsents()", () => {
  test.each<[string, Asked, { written: string | undefined; questions: readonly string[] }]>([
    [
      "asks about a new reference, and the Secrets that it would lend",
      { object: config(to("nas")) },
      { written: BOTH, questions: [NAS, SECRETS] },
    ],
    [
      "writes no Secrets down for who may get the reference alone",
      { object: config(to("nas")), may: (token) => token !== SECRETS },
      { written: NAS, questions: [NAS, SECRETS] },
    ],
    [
      "writes nothing down for who may not",
      { object: config(to("nas")), may: () => false },
      { written: undefined, questions: [NAS, SECRETS] },
    ],
    [
      "overwrites what people write there",
      { object: config(to("nas"), `${BOTH},Backup/tenant-b/*`), may: () => false },
      { written: undefined, questions: [NAS, SECRETS] },
    ],
    ["asks nothing within the namespace", { object: config({}) }, { written: undefined, questions: [] }],
    [
      "asks nothing where the other side lists the namespace",
      { object: config(to("open")) },
      { written: undefined, questions: [] },
    ],
    [
      "keeps a consent while its reference stays, though it was left out",
      { object: config(to("nas")), old: config(to("nas"), BOTH), may: () => false },
      { written: BOTH, questions: [] },
    ],
    [
      "drops a consent with its reference",
      { object: config({}, NAS), old: config(to("nas"), NAS) },
      { written: undefined, questions: [] },
    ],
    [
      "asks anew for another reference",
      { object: config(to("other"), NAS), old: config(to("nas"), NAS), may: () => false },
      { written: undefined, questions: ["Repository/tenant-b/other", SECRETS] },
    ],
    [
      "asks anew about the Secrets behind another reference, though somebody else might get them",
      {
        object: config(to("other"), BOTH),
        old: config(to("nas"), BOTH),
        may: (token) => token !== SECRETS,
      },
      { written: "Repository/tenant-b/other", questions: ["Repository/tenant-b/other", SECRETS] },
    ],
    [
      "gives an old reference the consent of who edits it now",
      { object: config(to("nas")), old: config(to("nas")) },
      { written: BOTH, questions: [NAS, SECRETS] },
    ],
    [
      "gives an old reference no consent of the operator",
      { object: config(to("nas")), old: config(to("nas")), isOperator: true },
      { written: undefined, questions: [] },
    ],
    [
      "asks nobody whether a recipe may be run on another namespace's claims, and believes no note of it",
      { object: config(REACHING, CLAIMS), old: config(REACHING, CLAIMS) },
      { written: undefined, questions: [] },
    ],
    [
      "gives what the operator repeats elsewhere no consent of the operator",
      { object: repeated(config(to("nas"))), isOperator: true },
      { written: undefined, questions: [] },
    ],
  ])("%s", async (_, asked, answer) => {
    expect(await recorded(asked)).toEqual(answer);
  });

  test("asks only so many questions", async () => {
    const crossings = () =>
      Array.from({ length: 40 }, (_, n) => ({ kind: "Backup" as const, namespace: `team-${n}`, field: "" }));
    const { written, questions } = await recorded({ object: config({}), crossings });
    expect(questions).toHaveLength(MOST_QUESTIONS);
    expect(written?.split(",")).toHaveLength(MOST_QUESTIONS);
  });
});
