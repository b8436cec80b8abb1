import {
  duplicate,
  forbidden,
  invalid,
  notFound,
  type Problem,
  required,
} from "../../kube/schema/problem.ts";
import { type Fields, fieldsOf, listOf, textOf } from "./fields.ts";

/** What the API server refuses of a pod, or of the pod in a template. `path` leads to the spec. */
export function checkPodSpec(spec: Fields, path: string): readonly Problem[] {
  const volumes = listOf(spec.volumes);
  const known = new Set(volumes.map((volume) => textOf(volume.name)));
  const containers = listOf(spec.containers);
  const initContainers = listOf(spec.initContainers);
  const check = (list: readonly Fields[], field: string) => checkContainers(list, known, `${path}.${field}`);
  const taken = new Set(containers.map(({ name }) => name));
  return [
    ...checkVolumes(volumes, `${path}.volumes`),
    ...(Array.isArray(spec.containers) && containers.length === 0 ? [required(`${path}.containers`)] : []),
    ...check(containers, "containers"),
    ...check(initContainers, "initContainers"),
    ...initContainers.flatMap(({ name, restartPolicy }, i) => [
      ...(taken.has(name) ? [duplicate(`${path}.initContainers[${i}].name`, name)] : []),
      ...(restartPolicy === undefined
        ? []
        : [forbidden(`${path}.initContainers[${i}].restartPolicy`, SIDECARS)]),
    ]),
    ...checkDeadline(spec.activeDeadlineSeconds, `${path}.activeDeadlineSeconds`),
  ];
}

const SIDECARS = "an embedded control plane runs no sidecars: make it a container";

function checkDeadline(value: unknown, field: string): readonly Problem[] {
  if (typeof value !== "number" || (value >= 1 && value <= 2 ** 31 - 1)) return [];
  return [invalid(field, value, "must be between 1 and 2147483647, inclusive")];
}

function checkVolumes(volumes: readonly Fields[], path: string): readonly Problem[] {
  return [
    ...volumes.flatMap((volume, i) => {
      const { name, ...source } = volume;
      const at = `${path}[${i}]`;
      const [first, ...more] = Object.keys(source);
      return [
        ...(first === undefined ? [required(at, "must specify a volume type")] : []),
        ...more.map((type) => forbidden(`${at}.${type}`, "may not specify more than 1 volume type")),
        ...Object.entries(REQUIRED_IN_VOLUME).flatMap(([type, field]) => {
          const value = source[type];
          return value !== undefined && !textOf(fieldsOf(value)[field])
            ? [required(`${at}.${type}.${field}`)]
            : [];
        }),
        ...checkLabel(name, `${at}.name`),
      ];
    }),
    ...repeatedNames(volumes, path),
  ];
}

/** What a volume's source cannot do without. */
const REQUIRED_IN_VOLUME = {
  secret: "secretName",
  configMap: "name",
  persistentVolumeClaim: "claimName",
  hostPath: "path",
};

function checkContainers(
  containers: readonly Fields[],
  volumes: ReadonlySet<string>,
  path: string,
): readonly Problem[] {
  const own = containers.flatMap((container, i) => {
    const at = `${path}[${i}]`;
    return [
      ...checkLabel(container.name, `${at}.name`),
      ...(container.image ? [] : [required(`${at}.image`)]),
      ...checkMounts(listOf(container.volumeMounts), volumes, `${at}.volumeMounts`),
    ];
  });
  return [...own, ...repeatedNames(containers, path)];
}

function checkMounts(
  mounts: readonly Fields[],
  volumes: ReadonlySet<string>,
  path: string,
): readonly Problem[] {
  const seen = new Set<unknown>();
  return mounts.flatMap(({ name, mountPath }, i) => {
    const at = `${path}[${i}]`;
    const repeated = seen.has(mountPath);
    seen.add(mountPath);
    return [
      ...(name ? [] : [required(`${at}.name`)]),
      ...(volumes.has(textOf(name)) ? [] : [notFound(`${at}.name`, name)]),
      ...(mountPath ? [] : [required(`${at}.mountPath`)]),
      ...(repeated ? [invalid(`${at}.mountPath`, mountPath, "must be unique")] : []),
    ];
  });
}

function repeatedNames(list: readonly Fields[], path: string): readonly Problem[] {
  return list.flatMap(({ name }, i) =>
    name && list.findIndex((other) => other.name === name) < i ? [duplicate(`${path}[${i}].name`, name)] : [],
  );
}

const LABEL_RULE =
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end " +
  "with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";

/** A name that must be there and be a DNS label. */
function checkLabel(name: unknown, field: string): readonly Problem[] {
  const text = textOf(name);
  if (text === "") return [required(field)];
  return [
    ...(text.length > 63 ? [invalid(field, text, "must be no more than 63 characters")] : []),
    ...(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text) ? [] : [invalid(field, text, LABEL_RULE)]),
  ];
}
