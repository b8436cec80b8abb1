import { checkSchema } from "./check_schema.ts";
import type { Crd, CrdVersion } from "./crd.ts";
import { error, type Finding } from "./finding.ts";
import type { ScalePaths } from "./kind.ts";
import type { CelEvaluator } from "./rules.ts";

/** A CRD larger than this is slow to serve, and close to what kubectl can apply. */
export const MAX_CRD_BYTES = 200 * 1024;

/** All that is wrong with some CRDs, each on its own and side by side. */
export function checkCrds(crds: readonly Crd[], cel: CelEvaluator): readonly Finding[] {
  return [...crds.flatMap((crd) => checkCrd(crd, cel)), ...checkSharedNames(crds)];
}

/** All that is wrong with a CRD. */
export function checkCrd(crd: Crd, cel: CelEvaluator): readonly Finding[] {
  const findings = [...checkNames(crd), ...checkSize(crd)];
  const { versions } = crd.spec;
  if (versions.filter((version) => version.storage).length !== 1) {
    findings.push(error("spec.versions", "exactly one version must be the stored one"));
  }
  for (const [i, version] of versions.entries()) {
    const path = `spec.versions[${i}]`;
    if (!/^v[1-9]\d*((alpha|beta)[1-9]\d*)?$/.test(version.name)) {
      findings.push(
        error(`${path}.name`, `${version.name} is not a version such as v1, v1beta1 or v2alpha1`),
      );
    }
    findings.push(...checkSchema(version.schema.openAPIV3Schema, `${path}.schema.openAPIV3Schema`, cel));
    findings.push(...checkColumns(version, path));
    if (version.subresources?.scale) findings.push(...checkScale(version.subresources.scale, path));
  }
  return findings;
}

const LABEL = /^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$/;

function checkNames(crd: Crd): readonly Finding[] {
  const { group, names } = crd.spec;
  const findings: Finding[] = [];
  const wanted = `${names.plural}.${group}`;
  if (crd.metadata.name !== wanted) findings.push(error("metadata.name", `must be ${wanted}`));
  if (
    !group.includes(".") ||
    !group.split(".").every((part) => /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(part))
  ) {
    findings.push(error("spec.group", `${group} is not a domain with at least one dot`));
  }
  if (/(^|\.)(k8s\.io|kubernetes\.io)$/.test(group)) {
    findings.push(error("spec.group", `${group} belongs to Kubernetes; use a domain of your own`));
  }
  for (const field of ["kind", "listKind"] as const) {
    if (!LABEL.test(names[field].toLowerCase()))
      findings.push(error(`spec.names.${field}`, "is not a DNS label"));
  }
  const words = [names.plural, names.singular, ...(names.shortNames ?? [])];
  for (const word of [...words, ...(names.categories ?? [])]) {
    if (!LABEL.test(word)) findings.push(error("spec.names", `${word} is not a DNS label in lower case`));
  }
  for (const word of repeated(words)) findings.push(error("spec.names", `${word} is named twice`));
  if (names.kind === names.listKind) findings.push(error("spec.names.listKind", "must differ from the kind"));
  return findings;
}

/** The API server leaves the second of two CRDs with one name in a group unserved. */
function checkSharedNames(crds: readonly Crd[]): readonly Finding[] {
  const names = crds.flatMap(({ metadata, spec: { group, names } }) => {
    const words = new Set([
      names.plural,
      names.singular,
      names.kind.toLowerCase(),
      ...(names.shortNames ?? []),
    ]);
    return [...words].map((word) => ({ name: `${word}.${group}`, crd: metadata.name }));
  });
  return repeated(names.map(({ name }) => name)).map((name) => {
    const owners = names.filter((other) => other.name === name).map(({ crd }) => crd);
    return error("spec.names", `${name} is claimed by ${owners.join(" and ")}`);
  });
}

function repeated(words: readonly string[]): readonly string[] {
  return [...new Set(words.filter((word, i) => words.indexOf(word) !== i))];
}

function checkSize(crd: Crd): readonly Finding[] {
  const bytes = Buffer.byteLength(JSON.stringify(crd));
  if (bytes <= MAX_CRD_BYTES) return [];
  const message = `the CRD has ${bytes} bytes, more than ${MAX_CRD_BYTES}; make an embedded Kubernetes type opaque`;
  return [error("", message)];
}

const STEP = String.raw`(?:\.[A-Za-z_$][\w$-]*(?:\\\.[\w$-]+)*|\[\d+\]|\[\*\]|\['[^']+'\]|\[\?\(@\.[\w.]+\s*==\s*["'][^"']*["']\)\])`;
const JSON_PATH = new RegExp(`^(?:${STEP})+$`);
const SIMPLE_PATH = /^(\.[A-Za-z_][\w-]*)+$/;

function checkColumns(version: CrdVersion, path: string): readonly Finding[] {
  const columns = version.additionalPrinterColumns ?? [];
  const findings = columns.flatMap((column, i) => {
    const at = `${path}.additionalPrinterColumns[${i}]`;
    const found: Finding[] = [];
    if (column.name === "") found.push(error(`${at}.name`, "must not be empty"));
    if (!column.jsonPath.startsWith(".") || !JSON_PATH.test(column.jsonPath)) {
      found.push(error(`${at}.jsonPath`, `${column.jsonPath} is not a JSON path such as .status.phase`));
    }
    return found;
  });
  const names = repeated(columns.map((column) => column.name));
  return [
    ...findings,
    ...names.map((name) => error(`${path}.additionalPrinterColumns`, `${name} is there twice`)),
  ];
}

function checkScale(scale: ScalePaths, path: string): readonly Finding[] {
  const wanted: readonly (readonly [string, string | undefined, RegExp])[] = [
    ["specReplicasPath", scale.specReplicasPath, /^\.spec\./],
    ["statusReplicasPath", scale.statusReplicasPath, /^\.status\./],
    ["labelSelectorPath", scale.labelSelectorPath, /^\.(spec|status)\./],
  ];
  return wanted.flatMap(([name, value, start]) => {
    if (value === undefined || (SIMPLE_PATH.test(value) && start.test(value))) return [];
    return [
      error(`${path}.subresources.scale.${name}`, `${value} is not a simple path below ${start.source}`),
    ];
  });
}
