import { forbidden, invalid, notSupported, type Problem, required } from "../../kube/schema/problem.ts";
import { jsonEqual } from "../../lib/json.ts";
import { checkImmutable, type Fields, fieldsOf, textOf } from "./fields.ts";
import type { KindRules } from "./kind_info.ts";
import { compareQuantities } from "./quantity.ts";

const MODES = ["ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"];

function checkModes(modes: unknown, field: string, hint?: string): readonly Problem[] {
  const list: readonly unknown[] = Array.isArray(modes) ? modes : [];
  const known = list.filter((mode) => MODES.includes(textOf(mode)));
  const alone = known.includes("ReadWriteOncePod") && known.some((mode) => mode !== "ReadWriteOncePod");
  return [
    ...(list.length === 0 ? [required(field, hint)] : []),
    ...list.filter((mode) => !known.includes(mode)).map((mode) => notSupported(field, mode, MODES)),
    ...(alone ? [forbidden(field, "may not use ReadWriteOncePod with other access modes")] : []),
  ];
}

function checkSize(size: unknown, field: string): readonly Problem[] {
  return compareQuantities(size, "0") > 0 ? [] : [invalid(field, size, "must be greater than zero")];
}

/** Claims. A source given in one of its two fields is, from the beginning, in both. */
export const claimRules: KindRules = {
  defaults: (claim) => ({
    ...claim,
    spec: { volumeMode: "Filesystem", ...fieldsOf(claim.spec) },
    status: { phase: "Pending", ...fieldsOf(claim.status) },
  }),
  onCreate: (claim) => ({ ...claim, spec: withBothSources(fieldsOf(claim.spec)) }),
  check: (claim, old) => {
    const spec = fieldsOf(claim.spec);
    if (!old) return checkClaim(spec);
    const bound = fieldsOf(claim.status).phase === "Bound";
    const { capacity } = fieldsOf(old.status);
    return [
      ...checkClaim(spec),
      ...checkClaimUpdate(spec, fieldsOf(old.spec), bound, fieldsOf(capacity).storage),
    ];
  },
};

function withBothSources(given: Fields): Fields {
  const { dataSource, dataSourceRef, ...rest } = given;
  const source = fieldsOf(dataSource);
  // The older field knows claims and snapshots, and forgets the rest.
  const usable =
    source.kind === "PersistentVolumeClaim" ||
    (source.kind === "VolumeSnapshot" && source.apiGroup === "snapshot.storage.k8s.io");
  const { namespace, ...local } = fieldsOf(dataSourceRef);
  const old = dataSource !== undefined && usable ? dataSource : undefined;
  const mirrored = old ?? (dataSourceRef !== undefined && !namespace ? local : undefined);
  const reference = dataSourceRef ?? old;
  return {
    ...rest,
    ...(mirrored === undefined ? {} : { dataSource: mirrored }),
    ...(reference === undefined ? {} : { dataSourceRef: reference }),
  };
}

function checkClaim(spec: Fields): readonly Problem[] {
  const { storage } = requestsOf(spec);
  const field = "spec.resources[storage]";
  const { dataSource, dataSourceRef } = spec;
  return [
    ...checkModes(spec.accessModes, "spec.accessModes", "at least 1 access mode is required"),
    ...(storage === undefined ? [required(field)] : checkSize(storage, field)),
    ...checkSource(dataSource, "spec.dataSource"),
    ...checkSource(dataSourceRef, "spec.dataSourceRef"),
    ...checkSameSource(dataSource, dataSourceRef),
  ];
}

function requestsOf(spec: Fields): Fields {
  return fieldsOf(fieldsOf(spec.resources).requests);
}

function checkSource(source: unknown, field: string): readonly Problem[] {
  if (source === undefined) return [];
  const { apiGroup, kind, name } = fieldsOf(source);
  const rule = "must be 'PersistentVolumeClaim' when referencing the default apiGroup";
  return [
    ...(name ? [] : [required(`${field}.name`)]),
    ...(kind ? [] : [required(`${field}.kind`)]),
    ...(apiGroup || kind === "PersistentVolumeClaim" ? [] : [invalid(field, kind, rule)]),
  ];
}

function checkSameSource(source: unknown, reference: unknown): readonly Problem[] {
  if (source === undefined || reference === undefined) return [];
  const { namespace, ...rest } = fieldsOf(reference);
  const field = { object: "spec.dataSource" };
  if (namespace)
    return [invalid("spec", field, "may not be specified when dataSourceRef.namespace is specified")];
  return jsonEqual(source, rest) ? [] : [invalid("spec", field, "must match dataSourceRef")];
}

function checkClaimUpdate(spec: Fields, old: Fields, bound: boolean, capacity: unknown): readonly Problem[] {
  const problems: Problem[] = [];
  const [size, before] = [requestsOf(spec).storage, requestsOf(old).storage];
  if (!jsonEqual(fixedClaim(spec, old, bound), fixedClaim(old, old, bound))) {
    const rule =
      "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims";
    problems.push(forbidden("spec", rule));
  }
  if (compareQuantities(size, before) < 0 && compareQuantities(size, capacity) <= 0) {
    problems.push(forbidden("spec.resources.requests.storage", "field can not be less than status.capacity"));
  }
  return [...problems, ...checkImmutable(["volumeMode"], spec, old)];
}

/** The parts of a claim that an update leaves alone. */
function fixedClaim(spec: Fields, old: Fields, bound: boolean): Fields {
  const { volumeName, storageClassName, volumeAttributesClassName, resources, ...rest } = spec;
  const { requests, ...others } = fieldsOf(resources);
  const { storage, ...otherRequests } = fieldsOf(requests);
  return {
    ...rest,
    ...(old.volumeName ? { volumeName } : {}),
    ...(old.storageClassName === undefined ? {} : { storageClassName }),
    resources: others,
    requests: bound ? otherRequests : requests,
    ...(bound ? {} : { volumeAttributesClassName }),
  };
}

/** Volumes. */
export const volumeRules: KindRules = {
  onCreate: (volume) => {
    const lastPhaseTransitionTime = volume.metadata.creationTimestamp;
    return { ...volume, status: { ...fieldsOf(volume.status), lastPhaseTransitionTime } };
  },
  defaults: (volume) => ({
    ...volume,
    spec: { persistentVolumeReclaimPolicy: "Retain", volumeMode: "Filesystem", ...fieldsOf(volume.spec) },
    status: { phase: "Pending", ...fieldsOf(volume.status) },
  }),
  check: (volume, old) => {
    const spec = fieldsOf(volume.spec);
    const { storage } = fieldsOf(spec.capacity);
    return [
      ...checkModes(spec.accessModes, "spec.accessModes"),
      ...(storage === undefined ? [required("spec.capacity")] : checkSize(storage, "spec.capacity[storage]")),
      ...(old ? checkImmutable(["csi", "volumeMode"], spec, fieldsOf(old.spec), "spec.") : []),
    ];
  },
};

/** Storage classes, of which little may change. */
export const storageClassRules: KindRules = {
  defaults: (storageClass) => ({ reclaimPolicy: "Delete", volumeBindingMode: "Immediate", ...storageClass }),
  check: (storageClass, old) => {
    if (!old) return storageClass.provisioner ? [] : [required("provisioner")];
    const fixed = ["provisioner", "parameters", "reclaimPolicy", "volumeBindingMode"].filter(
      (name) => !jsonEqual(storageClass[name], old[name]),
    );
    // The API server keeps the value to itself.
    return fixed.map((name) => invalid(name, null, "field is immutable"));
  },
};
