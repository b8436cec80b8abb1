import { forbidden, invalid, type Problem, tooLong } from "../../kube/schema/problem.ts";
import { jsonEqual } from "../../lib/json.ts";
import type { Stored } from "../store/store.ts";
import { change, checkImmutable, each, type Fields, fieldsOf, textOf } from "./fields.ts";
import type { KindRules } from "./kind_info.ts";

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
    return [
      ...checkKeys(data, "data"),
      ...(sizeOf(data, "base64") > MAX_BYTES ? [tooLong("data", MAX_BYTES)] : []),
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

const INVOLVED = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

/** Events, which are selected by what they are about. */
export const eventRules: KindRules = {
  selectableFields: {
    ...Object.fromEntries(
      INVOLVED.map((name) => [
        `involvedObject.${name}`,
        (event: Stored) => textOf(fieldsOf(event.involvedObject)[name]),
      ]),
    ),
    reason: (event) => textOf(event.reason),
    type: (event) => textOf(event.type),
  },
};

/** Webhook configurations, complete; one that makes no sense fails when it is called. */
export const webhookRules: KindRules = {
  defaults: (object) =>
    change(object, {
      webhooks: each((webhook) =>
        change(
          {
            failurePolicy: "Fail",
            matchPolicy: "Equivalent",
            namespaceSelector: {},
            objectSelector: {},
            timeoutSeconds: 10,
            ...(object.kind === "MutatingWebhookConfiguration" && { reinvocationPolicy: "Never" }),
            ...webhook,
          },
          { rules: each((rule) => ({ scope: "*", ...rule })) },
        ),
      ),
    }),
};

/** CustomResourceDefinitions: names are completed; what else they say is checked where they are installed. */
export const crdRules: KindRules = {
  defaults: (crd) => ({
    ...crd,
    spec: change({ conversion: { strategy: "None" }, ...fieldsOf(crd.spec) } as Fields, {
      names: (names) => {
        const kind = textOf(fieldsOf(names).kind);
        return { singular: kind.toLowerCase(), listKind: `${kind}List`, ...fieldsOf(names) };
      },
    }),
  }),
};

/** Deployments and StatefulSets: as much as it takes to scale them. */
export const workloadRules: KindRules = {
  defaults: (workload) => ({ ...workload, spec: { replicas: 1, ...fieldsOf(workload.spec) } }),
  check: ({ spec }) => {
    const { replicas } = fieldsOf(spec);
    const rule = "must be greater than or equal to 0";
    return Number(replicas) < 0 ? [invalid("spec.replicas", replicas, rule)] : [];
  },
};
