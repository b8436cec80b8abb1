import { CRD_LABELS } from "../../kinds/kopiur/labels.ts";
import type { KubeObject } from "../../kube/object.ts";
import { isRecord } from "../../lib/json.ts";
import { broken, type Finding, warning, well } from "./finding.ts";

/** A CRD, as far as it is judged. */
export interface Crd {
  readonly metadata: Pick<KubeObject["metadata"], "name" | "labels" | "annotations">;
  readonly spec?: {
    readonly versions?: readonly {
      readonly name: string;
      readonly served?: boolean;
      readonly schema?: { readonly openAPIV3Schema?: unknown } | undefined;
    }[];
  };
  readonly status?: {
    readonly conditions?: readonly {
      readonly type: string;
      readonly status: string;
      readonly message?: string;
    }[];
  };
}

const REINSTALL = "Install the CRDs of this release again.";
/** So many of a list are named. */
const MOST = 5;

/** Whether every kind is there, served, in the form of this release, and Holdfast's own. */
export function judgeCrds(wanted: readonly Crd[], present: readonly Crd[]): readonly Finding[] {
  const there = new Map(present.map((crd) => [crd.metadata.name, crd]));
  const missing = wanted.map(({ metadata }) => metadata.name).filter((name) => !there.has(name));
  if (missing.length === wanted.length)
    return [
      broken(
        "Holdfast's kinds are not in this cluster",
        "None of its CRDs exists.",
        "Install Holdfast, or choose another context.",
      ),
    ];
  const idle = present.flatMap(unserved);
  const found = [
    ...(missing.length > 0
      ? [broken(`${missing.length} CRDs are missing`, missing.join(", "), REINSTALL)]
      : []),
    ...(idle.length > 0
      ? [
          broken(
            `${idle.length} CRDs are not served`,
            idle.join("; "),
            "Look at their conditions: a name may be taken by another CRD.",
          ),
        ]
      : []),
    ...wanted.flatMap((crd) => judgeForm(crd, there.get(crd.metadata.name))),
    ...judgeOwners(present),
  ];
  return found.length > 0 ? found : [well(`all ${wanted.length} kinds are served`)];
}

function unserved({ metadata, status }: Crd): readonly string[] {
  const established = status?.conditions?.find(({ type }) => type === "Established");
  return established?.status === "True" ? [] : [`${metadata.name}: ${established?.message ?? "not yet"}`];
}

/** Whether a CRD keeps what this release writes: the API server drops fields that it does not know. */
function judgeForm(wanted: Crd, present: Crd | undefined): readonly Finding[] {
  if (!present) return [];
  const { name } = present.metadata;
  return (wanted.spec?.versions ?? []).flatMap((version): readonly Finding[] => {
    const served = present.spec?.versions?.find((one) => one.name === version.name);
    if (!served || served.served === false) {
      const others = present.spec?.versions?.map((one) => one.name).join(", ");
      return [
        broken(`${name} is of another version`, `It serves ${others}, and not ${version.name}.`, REINSTALL),
      ];
    }
    const [ours, theirs] = [fieldsOf(version.schema), fieldsOf(served.schema)];
    const lacking = [...ours].filter((field) => !theirs.has(field));
    if (lacking.length > 0)
      return [
        broken(
          `${name} is of another version`,
          `It lacks ${some(lacking)}: the API server drops what is written there.`,
          REINSTALL,
        ),
      ];
    const more = [...theirs].filter((field) => !ours.has(field));
    return more.length > 0
      ? [
          warning(
            `${name} is of another version`,
            `It has ${some(more)}, of which this program knows nothing.`,
            "Take the command line of the release that is installed.",
          ),
        ]
      : [];
  });
}

/** CRDs that somebody else brought along are never changed, and so not upgraded either. */
function judgeOwners(present: readonly Crd[]): readonly Finding[] {
  const [[key, value] = ["", ""]] = Object.entries(CRD_LABELS);
  const foreign = present.filter(({ metadata }) => metadata.labels?.[key] !== value);
  if (foreign.length === 0) return [];
  const owners = new Set(foreign.map(ownerText));
  return [
    warning(
      `${foreign.length} CRDs belong to another product`,
      `${some(foreign.map(({ metadata }) => metadata.name))}: ${[...owners].join("; ")}. Holdfast does not overwrite them, and no upgrade of it does.`,
      "Remove what they belong to, or see to it that they fit; two operators must not work on the same objects.",
    ),
  ];
}

function ownerText({ metadata: { labels = {}, annotations = {} } }: Crd): string {
  const partOf = labels["app.kubernetes.io/part-of"] ?? labels["app.kubernetes.io/name"];
  const release = annotations["meta.helm.sh/release-name"];
  const said = [
    ...(partOf ? [`part of ${partOf}`] : []),
    ...(release ? [`of the release ${release}`] : []),
    ...(labels["app.kubernetes.io/managed-by"]
      ? [`managed by ${labels["app.kubernetes.io/managed-by"]}`]
      : []),
  ];
  return said.join(", ") || "nothing on them says whose they are";
}

/** Every field that a schema has, as a path. */
function fieldsOf(schema: unknown): ReadonlySet<string> {
  const found = new Set<string>();
  const walk = (node: unknown, path: string): void => {
    if (!isRecord(node)) return;
    for (const [name, below] of Object.entries(isRecord(node.properties) ? node.properties : {})) {
      found.add(`${path}${name}`);
      walk(below, `${path}${name}.`);
    }
    walk(node.items, path);
    walk(node.additionalProperties, path);
  };
  walk(isRecord(schema) ? schema.openAPIV3Schema : undefined, "");
  return found;
}

function some(names: readonly string[]): string {
  const more = names.length - MOST;
  return `${names.slice(0, MOST).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
