import type { OwnerReference } from "../../kube/object.ts";
import { forbidden, invalid, type Problem, required, tooLong } from "../../kube/schema/problem.ts";
import type { Stored } from "../store/store.ts";

const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const LABEL = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/;
const NAME_PART = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const LABEL_VALUE = /^(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?$/;

const LOWER = "must consist of lower case alphanumeric characters";
const ENDS = "must start and end with an alphanumeric character";
const MIXED = `consist of alphanumeric characters, '-', '_' or '.', and ${ENDS}`;
const SUBDOMAIN_RULE = `a lowercase RFC 1123 subdomain ${LOWER}, '-' or '.', and ${ENDS} (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`;
const LABEL_RULE = `a lowercase RFC 1123 label ${LOWER} or '-', and ${ENDS} (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')`;
const NAME_PART_RULE = `name part must ${MIXED} (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`;
const LABEL_VALUE_RULE = `a valid label must be an empty string or ${MIXED} (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`;

const MAX_ANNOTATIONS = 256 * 1024;

/** What a name must be like. */
type NameRule = (name: string) => readonly string[];

const subdomain: NameRule = (name) => subdomainIn(name, "characters");

/** The server counts names in characters, and the prefixes of keys in bytes. */
function subdomainIn(name: string, unit: "characters" | "bytes"): readonly string[] {
  return [
    ...(name.length > 253 ? [`must be no more than 253 ${unit}`] : []),
    ...(SUBDOMAIN.test(name) ? [] : [SUBDOMAIN_RULE]),
  ];
}

/** The server has a shorter word for what only has dots too many. */
const dnsLabel: NameRule = (name) => {
  if (name.includes(".") && SUBDOMAIN.test(name)) return ["must not contain dots"];
  return [
    ...(name.length > 63 ? ["must be no more than 63 characters"] : []),
    ...(LABEL.test(name) ? [] : [LABEL_RULE]),
  ];
};

const pathSegment: NameRule = (name) => [
  ...(name === "." || name === ".." ? [`may not be '${name}'`] : []),
  ...["/", "%"].filter((bad) => name.includes(bad)).map((bad) => `may not contain '${bad}'`),
];

/** Everything else is a DNS subdomain. */
const NAME_RULES: Readonly<Record<string, NameRule>> = {
  Namespace: dnsLabel,
  Role: pathSegment,
  RoleBinding: pathSegment,
  ClusterRole: pathSegment,
  ClusterRoleBinding: pathSegment,
};

const STRICT = { custom: false, warn: () => {} };

/** What is wrong with the metadata of an object, of which `old` is the one that it replaces. */
export function checkObjectMeta(
  object: Stored,
  old: Stored | undefined,
  { custom, warn }: { readonly custom: boolean; readonly warn: (text: string) => void } = STRICT,
): readonly Problem[] {
  const { metadata } = object;
  return [
    ...(old ? [] : checkName(object)),
    ...Object.entries(metadata.labels ?? {}).flatMap(([key, value]) => [
      ...checkKey("metadata.labels", key),
      ...checkLabelValue(value),
    ]),
    ...checkAnnotations(metadata.annotations ?? {}),
    ...checkOwners(metadata.ownerReferences ?? []),
    ...(metadata.finalizers ?? []).flatMap((finalizer) => checkKey("metadata.finalizers", finalizer)),
    ...checkQualified(metadata.finalizers ?? [], custom, warn),
    ...checkNewFinalizers(object, old),
  ];
}

function checkName({ kind, metadata }: Stored): readonly Problem[] {
  const rule = NAME_RULES[kind] ?? subdomain;
  const problems: Problem[] = [];
  if (metadata.generateName) {
    const stem = metadata.generateName.replace(/-$/, "a");
    for (const text of rule(stem))
      problems.push(invalid("metadata.generateName", metadata.generateName, text));
  }
  if (!metadata.name) {
    problems.push(required("metadata.name", "name or generateName is required"));
  } else {
    for (const text of rule(metadata.name)) problems.push(invalid("metadata.name", metadata.name, text));
  }
  return problems;
}

function checkKey(field: string, key: string): readonly Problem[] {
  const slash = key.indexOf("/");
  const prefix = slash < 0 ? undefined : key.slice(0, slash);
  const name = key.slice(slash + 1);
  const problems: Problem[] = [];
  const refuse = (text: string) => problems.push(invalid(field, key, text));
  if (prefix !== undefined && prefix === "") refuse("prefix part must be non-empty");
  else if (prefix !== undefined)
    for (const text of subdomainIn(prefix, "bytes")) refuse(`prefix part ${text}`);
  if (name === "") refuse("name part must be non-empty");
  else if (name.length > 63) refuse("name part must be no more than 63 bytes");
  if (!NAME_PART.test(name)) refuse(NAME_PART_RULE);
  return problems;
}

function checkLabelValue(value: string): readonly Problem[] {
  return [
    ...(value.length > 63 ? [invalid("metadata.labels", value, "must be no more than 63 bytes")] : []),
    ...(LABEL_VALUE.test(value) ? [] : [invalid("metadata.labels", value, LABEL_VALUE_RULE)]),
  ];
}

function checkAnnotations(annotations: Readonly<Record<string, string>>): readonly Problem[] {
  const problems = Object.keys(annotations).flatMap((key) =>
    checkKey("metadata.annotations", key.toLowerCase()),
  );
  let size = 0;
  for (const [key, value] of Object.entries(annotations))
    size += Buffer.byteLength(key) + Buffer.byteLength(value);
  return size > MAX_ANNOTATIONS ? [...problems, tooLong("metadata.annotations", MAX_ANNOTATIONS)] : problems;
}

/** A version, alone or after its group; the group may be empty. */
const API_VERSION = /^([^/]*\/)?[^/]+$/;

function checkOwners(owners: readonly OwnerReference[]): readonly Problem[] {
  const problems: Problem[] = [];
  for (const [i, owner] of owners.entries()) {
    const at = (field: string) => `metadata.ownerReferences[${i}].${field}`;
    for (const field of ["apiVersion", "kind", "name", "uid"] as const) {
      if (!owner[field]) problems.push(required(at(field), "must not be empty"));
    }
    if (owner.apiVersion && !API_VERSION.test(owner.apiVersion))
      problems.push(invalid(at("apiVersion"), owner.apiVersion, "must be <group>/<version> or <version>"));
  }
  const controllers = owners.filter((owner) => owner.controller);
  if (controllers.length > 1) {
    const [first, second] = controllers.map(({ kind, name }) => `${kind}/${name}`);
    const detail = `Only one reference can have Controller set to true. Found "true" in references for ${first} and ${second}`;
    problems.push(invalid("metadata.ownerReferences", owners, detail));
  }
  return problems;
}

/** The API server's own finalizers are the only ones without a domain. */
const STANDARD_FINALIZERS: ReadonlySet<string> = new Set(["kubernetes", "orphan", "foregroundDeletion"]);

/** Custom objects had other finalizers before anybody asked for a domain. */
function checkQualified(
  finalizers: readonly string[],
  custom: boolean,
  warn: (text: string) => void,
): readonly Problem[] {
  const rule = "name is neither a standard finalizer name nor is it fully qualified";
  const advice =
    "prefer a domain-qualified finalizer name to avoid accidental conflicts with other finalizer writers";
  return finalizers.flatMap((finalizer, i) => {
    if (finalizer.includes("/") || STANDARD_FINALIZERS.has(finalizer)) return [];
    if (!custom) return [invalid(`metadata.finalizers[${i}]`, finalizer, rule)];
    warn(`metadata.finalizers: ${JSON.stringify(finalizer)}: ${advice}`);
    return [];
  });
}

function checkNewFinalizers(object: Stored, old: Stored | undefined): readonly Problem[] {
  if (!old?.metadata.deletionTimestamp) return [];
  const known = new Set(old.metadata.finalizers);
  const added = (object.metadata.finalizers ?? []).filter((name) => !known.has(name));
  if (added.length === 0) return [];
  const list = added.map((name) => JSON.stringify(name)).join(", ");
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
  return [forbidden("metadata.finalizers", detail)];
}
