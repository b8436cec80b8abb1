import { crdShortfalls, type PresentCrd, type WantedKind } from "../../kube/adoption/crd_shortfalls.ts";
import type { KubeObject } from "../../kube/object.ts";
import { resourceName } from "../../kube/resource.ts";
import { isRecord } from "../../lib/json.ts";
import { countText } from "../count_text.ts";
import type { ApiKinds } from "./api_kinds.ts";
import { broken, type Finding, warning, well } from "./finding.ts";

/** A CRD, as far as it is judged. */
export interface Crd extends PresentCrd {
  readonly metadata: Pick<KubeObject["metadata"], "name" | "labels" | "annotations" | "deletionTimestamp">;
}

const REINSTALL = "Install the CRDs of this release again.";
const ALIGN =
  "Install the CRDs of this release again, where the operator is of this release, too; else take the command line of the release that is installed.";
/** So many of a list are named. */
const MOST = 5;

/** The CRDs of all APIs. One of which there is none is not installed, and may be so. */
export function judgeCrds(
  apis: readonly ApiKinds[],
  present: ReadonlyMap<string, Crd>,
  options: { readonly adopted?: boolean } = {},
): readonly Finding[] {
  const installed = apis.flatMap((api) => {
    const found = api.kinds.flatMap(({ resource }) => present.get(resourceName(resource)) ?? []);
    return found.length > 0 ? [{ api, found }] : [];
  });
  if (installed.length === 0)
    return [
      broken(
        "Holdfast's kinds are not in this cluster",
        "None of its CRDs exists.",
        "Install Holdfast, or choose another context.",
      ),
    ];
  return installed.flatMap(({ api, found }) => judgeApi(api, found, options));
}

/**
 * Whether every kind is there, served, in the form of this release, and Holdfast's own. Of CRDs that an operator was
 * told to adopt, the look at adoptions says whether they fit, and whose they are does not matter.
 */
function judgeApi(
  { api, kinds: wanted, labels, shared }: ApiKinds,
  present: readonly Crd[],
  { adopted = shared ?? false }: { readonly adopted?: boolean },
): readonly Finding[] {
  const there = new Map(present.map((crd) => [crd.metadata.name, crd]));
  const missing = wanted.map(({ resource }) => resourceName(resource)).filter((name) => !there.has(name));
  const idle = present.flatMap(unserved);
  const found = [
    ...(missing.length > 0
      ? [
          broken(
            countText(missing.length, "CRD is missing", "CRDs are missing"),
            missing.join(", "),
            REINSTALL,
          ),
        ]
      : []),
    ...(idle.length > 0
      ? [
          broken(
            countText(idle.length, "CRD is not served", "CRDs are not served"),
            idle.join("; "),
            "Look at their conditions: a name may be taken by another CRD.",
          ),
        ]
      : []),
    ...(adopted
      ? []
      : [
          ...wanted.flatMap((kind) => judgeForm(kind, there.get(resourceName(kind.resource)))),
          ...judgeOwners(present, labels),
        ]),
  ];
  return found.length > 0 ? found : [well(`all ${wanted.length} kinds of ${api} are served`)];
}

function unserved({ metadata, status }: Crd): readonly string[] {
  const established = status?.conditions?.find(({ type }) => type === "Established");
  return established?.status === "True" ? [] : [`${metadata.name}: ${established?.message ?? "not yet"}`];
}

/** Whether this release can work with a CRD that is served, by the same rule as for CRDs that are adopted. */
function judgeForm(kind: WantedKind, crd: Crd | undefined): readonly Finding[] {
  if (!crd || unserved(crd).length > 0) return [];
  const { name } = crd.metadata;
  const shortfalls = crdShortfalls(kind, crd);
  if (shortfalls.length > 0) return [broken(`${name} is of another version`, some(shortfalls, "; "), ALIGN)];
  const version = crd.spec.versions.find((one) => one.name === kind.resource.version);
  const known = fieldsOf(kind.schema);
  const more = [...fieldsOf(version?.schema?.openAPIV3Schema)].filter((field) => !known.has(field));
  if (more.length === 0) return [];
  return [
    warning(
      `${name} is of another version`,
      `It has ${some(more)}, of which this program knows nothing.`,
      "Take the command line of the release that is installed.",
    ),
  ];
}

/** CRDs that somebody else brought along are never changed, and so not upgraded either. */
function judgeOwners(present: readonly Crd[], labels: ApiKinds["labels"]): readonly Finding[] {
  const [[key, value] = ["", ""]] = Object.entries(labels);
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
  walk(schema, "");
  return found;
}

function some(texts: readonly string[], separator = ", "): string {
  const more = texts.length - MOST;
  return `${texts.slice(0, MOST).join(separator)}${more > 0 ? ` and ${more} more` : ""}`;
}
