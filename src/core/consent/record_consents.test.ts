import { describe, expect, test } from "vitest";
import { BACKUPS, backup, GROUP, type Owner, REPOSITORIES } from "../testing/samples.ts";
import { crossingToken } from "./consents.ts";
import type { ConsentRules, CrossedKind, Crossing } from "./crossing.ts";
import { MOST_QUESTIONS, recordConsents } from "./record_consents.ts";

const ANNOTATION = `${GROUP}/consented-references`;
const NAS = "Repository/tenant-b/nas";
const SECRETS = "Secret/tenant-b/*";
const BOTH = `${NAS},${SECRETS}`;
const CLAIMS = "PersistentVolumeClaim/tenant-b/*";

/** An object that refers to these, and the consents that are written on it. */
const object = (spec: object, consents?: string): Owner =>
  backup({
    spec,
    ...(consents === undefined ? {} : { metadata: { annotations: { [ANNOTATION]: consents } } }),
  });

const to = (name: string) => ({ repository: name });
const REACHING = { claims: true };

function crossingsOf({ spec }: Owner): readonly Crossing[] {
  const { repository, claims } = spec as { readonly repository?: string; readonly claims?: true };
  const place = { namespace: "tenant-b", field: "" };
  if (claims) return [{ kind: "PersistentVolumeClaim", ...place }];
  if (repository === undefined) return [];
  const reference = { kind: "Repository", name: repository, ...place };
  return [reference, { kind: "Secret", ...place, through: [reference] }];
}

const denied = { judge: () => "denied", forbidden: () => ({}) as never } as const satisfies CrossedKind;
const RULES: ConsentRules = {
  kinds: {
    Repository: {
      ...denied,
      resource: REPOSITORIES,
      judge: ({ name }) => (name === "open" ? "granted" : "denied"),
    },
    Backup: { ...denied, resource: BACKUPS },
    PersistentVolumeClaim: denied,
  },
  repositoryList: "its list",
  namespace: () => "unknown",
};

interface Asked {
  readonly object: Owner;
  readonly old?: Owner;
  readonly isOperator?: boolean;
  readonly isOnBehalf?: boolean;
  readonly crossings?: readonly Crossing[];
  /** What the author may get. Default: everything. */
  readonly may?: (token: string) => boolean;
}

/** What is written down, and what was asked about. */
async function recorded(asked: Asked) {
  const { object, old, isOperator = false, isOnBehalf = false, may = () => true } = asked;
  const questions: string[] = [];
  const { metadata } = await recordConsents({
    object,
    old,
    crossings: asked.crossings ?? crossingsOf(object),
    before: old ? crossingsOf(old) : [],
    isOperator,
    isOnBehalf,
    rules: RULES,
    may: async ({ resource: { kind }, namespace, name }) => {
      const token = crossingToken({ kind, namespace, ...(name === undefined ? {} : { name }) });
      questions.push(token);
      return may(token);
    },
  });
  return { written: metadata.annotations?.[ANNOTATION], questions };
}

describe("recordConsents()", () => {
  test.each<[string, Asked, { written: string | undefined; questions: readonly string[] }]>([
    [
      "asks about a new reference, and the Secrets that it would lend",
      { object: object(to("nas")) },
      { written: BOTH, questions: [NAS, SECRETS] },
    ],
    [
      "writes no Secrets down for who may get the reference alone",
      { object: object(to("nas")), may: (token) => token !== SECRETS },
      { written: NAS, questions: [NAS, SECRETS] },
    ],
    [
      "writes nothing down for who may not",
      { object: object(to("nas")), may: () => false },
      { written: undefined, questions: [NAS, SECRETS] },
    ],
    [
      "overwrites what people write there",
      { object: object(to("nas"), `${BOTH},Backup/tenant-b/*`), may: () => false },
      { written: undefined, questions: [NAS, SECRETS] },
    ],
    ["asks nothing within the namespace", { object: object({}) }, { written: undefined, questions: [] }],
    [
      "asks nothing where the other side lists the namespace",
      { object: object(to("open")) },
      { written: undefined, questions: [] },
    ],
    [
      "keeps a consent while its reference stays, though it was left out",
      { object: object(to("nas")), old: object(to("nas"), BOTH), may: () => false },
      { written: BOTH, questions: [] },
    ],
    [
      "drops a consent with its reference",
      { object: object({}, NAS), old: object(to("nas"), NAS) },
      { written: undefined, questions: [] },
    ],
    [
      "asks anew for another reference",
      { object: object(to("other"), NAS), old: object(to("nas"), NAS), may: () => false },
      { written: undefined, questions: ["Repository/tenant-b/other", SECRETS] },
    ],
    [
      "asks anew about the Secrets behind another reference, though somebody else might get them",
      {
        object: object(to("other"), BOTH),
        old: object(to("nas"), BOTH),
        may: (token) => token !== SECRETS,
      },
      { written: "Repository/tenant-b/other", questions: ["Repository/tenant-b/other", SECRETS] },
    ],
    [
      "gives an old reference the consent of who edits it now",
      { object: object(to("nas")), old: object(to("nas")) },
      { written: BOTH, questions: [NAS, SECRETS] },
    ],
    [
      "gives an old reference no consent of the operator",
      { object: object(to("nas")), old: object(to("nas")), isOperator: true },
      { written: undefined, questions: [] },
    ],
    [
      "asks nobody about what only the other side can allow, and believes no note of it",
      { object: object(REACHING, CLAIMS), old: object(REACHING, CLAIMS) },
      { written: undefined, questions: [] },
    ],
    [
      "gives what the operator writes on behalf of others no consent of the operator",
      { object: object(to("nas")), isOperator: true, isOnBehalf: true },
      { written: undefined, questions: [] },
    ],
  ])("%s", async (_, asked, answer) => {
    expect(await recorded(asked)).toEqual(answer);
  });

  test("asks only so many questions", async () => {
    const crossings = Array.from({ length: 40 }, (_, n) => ({
      kind: "Backup" as const,
      namespace: `team-${n}`,
      field: "",
    }));
    const { written, questions } = await recorded({ object: object({}), crossings });
    expect(questions).toHaveLength(MOST_QUESTIONS);
    expect(written?.split(",")).toHaveLength(MOST_QUESTIONS);
  });
});
