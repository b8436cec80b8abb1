import {
  duplicate,
  forbidden,
  invalid,
  notFound,
  notSupported,
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
    ...initContainers.flatMap(({ name }, i) =>
      taken.has(name) ? [duplicate(`${path}.initContainers[${i}].name`, name)] : [],
    ),
    ...checkDeadline(spec.activeDeadlineSeconds, `${path}.activeDeadlineSeconds`),
  ];
}

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
      ...checkPorts(listOf(container.ports), `${at}.ports`),
      ...checkEnv(listOf(container.env), `${at}.env`),
      ...checkMounts(listOf(container.volumeMounts), volumes, `${at}.volumeMounts`),
    ];
  });
  return [...own, ...repeatedNames(containers, path)];
}

function checkPorts(ports: readonly Fields[], path: string): readonly Problem[] {
  return ports.flatMap(({ containerPort }, i) => {
    const field = `${path}[${i}].containerPort`;
    if (typeof containerPort !== "number" || containerPort === 0) return [required(field)];
    if (containerPort > 0 && containerPort < 65536) return [];
    return [invalid(field, containerPort, "must be between 1 and 65535, inclusive")];
  });
}

const SOURCES = "`fieldRef`, `resourceFieldRef`, `configMapKeyRef` or `secretKeyRef`";

function checkEnv(variables: readonly Fields[], path: string): readonly Problem[] {
  return variables.flatMap((variable, i) => {
    const at = `${path}[${i}]`;
    const problems: Problem[] = [];
    if (!variable.name) problems.push(required(`${at}.name`));
    if (variable.valueFrom === undefined) return problems;
    const count = Object.keys(fieldsOf(variable.valueFrom)).length;
    const refuse = (text: string) => problems.push(invalid(`${at}.valueFrom`, "", text));
    if (count === 0) refuse(`must specify one of: ${SOURCES}`);
    else if (variable.value) refuse("may not be specified when `value` is not empty");
    else if (count > 1) refuse("may not have more than one field specified at a time");
    return problems;
  });
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
export function checkLabel(name: unknown, field: string): readonly Problem[] {
  const text = textOf(name);
  if (text === "") return [required(field)];
  return [
    ...(text.length > 63 ? [invalid(field, text, "must be no more than 63 characters")] : []),
    ...(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(text) ? [] : [invalid(field, text, LABEL_RULE)]),
  ];
}

/** A pod that a controller keeps running cannot end by itself. */
export function checkAlwaysRestarted(template: unknown, path: string): readonly Problem[] {
  const { restartPolicy } = fieldsOf(fieldsOf(template).spec);
  if (restartPolicy === "Always") return [];
  return [notSupported(`${path}.spec.restartPolicy`, restartPolicy, ["Always"])];
}
