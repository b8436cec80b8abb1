import { forbidden, invalid, type Problem, required, tooLong } from "../../kube/schema/problem.ts";
import { jsonEqual } from "../../lib/json.ts";
import type { Stored } from "../store/store.ts";
import { change, each, type Fields, fieldsOf, textOf } from "./fields.ts";
import { checkImmutable } from "./immutable.ts";
import type { KindRules } from "./kind_rules.ts";

const MAX_BYTES = 2 ** 20;
const KEY_RULE =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or " +
  "'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";

function checkKeys(data: Fields, field: string): readonly Problem[] {
  return Object.keys(data).flatMap((key) => {
    const refuse = (text: string) => invalid(`${field}[${key}]`, key, text);
    return [
      ...(key.length > 253 ? [refuse("must be no more than 253 characters")] : []),
      ...(/^[-._a-zA-Z0-9]+$/.test(key) ? [] : [refuse(KEY_RULE)]),
      ...(key === "." || key === ".." ? [refuse(`must not be '${key}'`)] : []),
      ...(key.startsWith("..") && key !== ".." ? [refuse("must not start with '..'")] : []),
    ];
  });
}

function sizeOf(data: Fields, encoding: "utf8" | "base64"): number {
  const sizes = Object.values(data).map((value) => Buffer.byteLength(textOf(value), encoding));
  return sizes.reduce((sum, size) => sum + size, 0);
}

/** What an object that was declared immutable holds on to. */
function checkFrozen(object: Stored, old: Stored | undefined, names: readonly string[]): readonly Problem[] {
  if (old?.immutable !== true) return [];
  return ["immutable", ...names]
    .filter((name) => !jsonEqual(object[name], old[name]))
    .map((name) => forbidden(name, "field is immutable when `immutable` is set"));
}

/** What a secret of a known type must hold. */
const REQUIRED_KEYS: Readonly<Record<string, readonly string[]>> = {
  "kubernetes.io/dockercfg": [".dockercfg"],
  "kubernetes.io/dockerconfigjson": [".dockerconfigjson"],
  "kubernetes.io/ssh-auth": ["ssh-privatekey"],
  "kubernetes.io/tls": ["tls.crt", "tls.key"],
};

/** Secrets. What comes as text is kept as data. */
export const secretRules: KindRules = {
  defaults: ({ stringData, ...secret }) => {
    const texts = Object.entries(fieldsOf(stringData)).map(([key, value]) => [
      key,
      Buffer.from(textOf(value)).toString("base64"),
    ]);
    const data = texts.length > 0 ? { data: { ...fieldsOf(secret.data), ...Object.fromEntries(texts) } } : {};
    return { type: "Opaque", ...secret, ...data };
  },
  check: (secret, old) => {
    const data = fieldsOf(secret.data);
    const missing = (REQUIRED_KEYS[textOf(secret.type)] ?? []).filter((key) => !Object.hasOwn(data, key));
    return [
      ...checkKeys(data, "data"),
      ...(sizeOf(data, "base64") > MAX_BYTES ? [tooLong("data", MAX_BYTES)] : []),
      ...missing.map((key) => required(`data[${key}]`)),
      ...(old ? checkImmutable(["type"], secret, old) : []),
      ...checkFrozen(secret, old, ["data"]),
    ];
  },
  selectableFields: { type: (secret) => textOf(secret.type) },
};

/** ConfigMaps, which share their limits with secrets. */
export const configMapRules: KindRules = {
  check: (configMap, old) => {
    const [data, binary] = [fieldsOf(configMap.data), fieldsOf(configMap.binaryData)];
    const both = Object.keys(data).filter((key) => Object.hasOwn(binary, key));
    return [
      ...checkKeys(data, "data"),
      ...both.map((key) => invalid(`data[${key}]`, key, "duplicate of key present in binaryData")),
      ...checkKeys(binary, "binaryData"),
      ...(sizeOf(data, "utf8") + sizeOf(binary, "base64") > MAX_BYTES ? [tooLong("[]", MAX_BYTES)] : []),
      ...checkFrozen(configMap, old, ["data", "binaryData"]),
    ];
  },
};

/** Namespaces. Each is labelled with its name, and held until it is emptied. */
export const namespaceRules: KindRules = {
  defaults: (namespace) => {
    const { metadata } = namespace;
    const own = metadata.name ? { "kubernetes.io/metadata.name": metadata.name } : {};
    const labels = { ...metadata.labels, ...own };
    const status = { phase: "Active", ...fieldsOf(namespace.status) };
    return { ...namespace, metadata: { ...metadata, labels }, status };
  },
  onCreate: (namespace) => {
    const { finalizers = [], ...spec } = fieldsOf(namespace.spec);
    const held = new Set([...(finalizers as string[]), "kubernetes"]);
    return { ...namespace, spec: { finalizers: [...held], ...spec } };
  },
  selectableFields: { "status.phase": (namespace) => textOf(fieldsOf(namespace.status).phase) },
};

/** Nodes. What they have may be used, unless they say otherwise. */
export const nodeRules: KindRules = {
  defaults: (node) => {
    const status = fieldsOf(node.status);
    const { capacity, allocatable = capacity } = status;
    return allocatable === undefined ? node : { ...node, status: { ...status, allocatable } };
  },
  selectableFields: { "spec.unschedulable": (node) => String(fieldsOf(node.spec).unschedulable ?? false) },
};

const INVOLVED = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

/** Events, which live beside what they are about. */
export const eventRules: KindRules = {
  check: ({ metadata, involvedObject, eventTime }) => {
    if (eventTime) return [];
    const { namespace = "" } = fieldsOf(involvedObject);
    if (namespace === metadata.namespace || (namespace === "" && metadata.namespace === "default")) return [];
    return [invalid("involvedObject.namespace", namespace, "does not match event.namespace")];
  },
  selectableFields: {
    ...Object.fromEntries(
      INVOLVED.map((name) => [
        `involvedObject.${name}`,
        (event: Stored) => textOf(fieldsOf(event.involvedObject)[name]),
      ]),
    ),
    reason: (event) => textOf(event.reason),
    reportingComponent: (event) => textOf(event.reportingComponent),
    source: (event) => textOf(fieldsOf(event.source).component) || textOf(event.reportingComponent),
    type: (event) => textOf(event.type),
  },
};

/** Leases. */
export const leaseRules: KindRules = {
  check: (lease) => {
    const { leaseDurationSeconds: seconds, leaseTransitions: transitions } = fieldsOf(lease.spec);
    const problems: Problem[] = [];
    if (typeof seconds === "number" && seconds <= 0) {
      problems.push(invalid("spec.leaseDurationSeconds", seconds, "must be greater than 0"));
    }
    if (typeof transitions === "number" && transitions < 0) {
      problems.push(invalid("spec.leaseTransitions", transitions, "must be greater than or equal to 0"));
    }
    return problems;
  },
};

/** Services are kept, so that manifests apply; nothing listens behind them, and they get no address. */
export const serviceRules: KindRules = {
  defaults: (service) => ({
    ...service,
    spec: change(
      {
        type: "ClusterIP",
        sessionAffinity: "None",
        internalTrafficPolicy: "Cluster",
        ...fieldsOf(service.spec),
      },
      { ports: each((port) => ({ protocol: "TCP", targetPort: port.port, ...port })) },
    ),
  }),
};
