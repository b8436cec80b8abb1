import { invalid as invalidField } from "../../kube/schema/problem.ts";
import { isRecord } from "../../lib/json.ts";
import type { KindInfo } from "../kinds/kind_info.ts";
import type { Stored } from "../store/store.ts";
import { badRequest, invalid, Refusal } from "./refusal.ts";

/** The Scale of an object. Throws a Refusal for a custom object that says nothing of its replicas. */
export function scaleOf(kind: KindInfo, object: Stored): Stored {
  const { scale } = kind;
  if (!scale) throw new TypeError(`${kind.resource.kind} has no scale`);
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const replicas = at(object, scale.specReplicasPath);
  if (replicas === undefined && kind.custom) {
    const message = `the spec replicas field ${JSON.stringify(scale.specReplicasPath)} does not exist`;
    throw new Refusal(500, "InternalError", `Internal error occurred: ${message}`, { causes: [{ message }] });
  }
  const selector = scale.labelSelectorPath ? at(object, scale.labelSelectorPath) : undefined;
  return {
    kind: "Scale",
    apiVersion: "autoscaling/v1",
    metadata: { name, ...(namespace && { namespace }), uid, resourceVersion, creationTimestamp },
    spec: replicas === undefined || replicas === 0 ? {} : { replicas },
    status: {
      replicas: at(object, scale.statusReplicasPath) ?? 0,
      ...(selector !== undefined && { selector: selectorText(selector) }),
    },
  };
}

/** The Scale of an object that may not say anything of its replicas yet. */
export function scaleToPatch(kind: KindInfo, object: Stored): Stored {
  const path = kind.scale?.specReplicasPath ?? "";
  return scaleOf(kind, at(object, path) === undefined ? put(object, path, 0) : object);
}

/** The object with the replicas that a Scale asks for. */
export function withScale(kind: KindInfo, object: Stored, scale: Readonly<Record<string, unknown>>): Stored {
  const spec = isRecord(scale.spec) ? scale.spec : {};
  const replicas = spec.replicas ?? 0;
  if (typeof replicas !== "number") {
    const message =
      "json: cannot unmarshal string into Go struct field ScaleSpec.spec.replicas of type int32";
    throw badRequest(`Scale in version "v1" cannot be handled as a Scale: ${message}`);
  }
  const { specReplicasPath = "" } = kind.scale ?? {};
  if (replicas < 0) {
    const { name } = object.metadata;
    if (!kind.custom) {
      const problem = invalidField("spec.replicas", replicas, "must be greater than or equal to 0");
      throw invalid({ group: "autoscaling", kind: "Scale" }, name, [problem]);
    }
    const rule = "should be a non-negative integer";
    throw invalid(kind.resource, name, [invalidField(specReplicasPath, replicas, rule)]);
  }
  const metadata = isRecord(scale.metadata) ? scale.metadata : {};
  const resourceVersion = String(metadata.resourceVersion || object.metadata.resourceVersion);
  const changed = put(object, specReplicasPath, replicas);
  return { ...changed, metadata: { ...changed.metadata, resourceVersion } };
}

function at(object: unknown, path: string): unknown {
  let value = object;
  for (const name of path.split(".").slice(1)) value = isRecord(value) ? value[name] : undefined;
  return value;
}

function put(object: Stored, path: string, value: unknown): Stored {
  const set = (node: unknown, [name, ...rest]: readonly string[]): unknown =>
    name === undefined
      ? value
      : { ...(isRecord(node) ? node : {}), [name]: set(isRecord(node) ? node[name] : undefined, rest) };
  return set(object, path.split(".").slice(1)) as Stored;
}

/** A built-in kind has a selector of its own; a custom one keeps the text. */
function selectorText(selector: unknown): string {
  if (!isRecord(selector)) return String(selector);
  const labels = isRecord(selector.matchLabels) ? selector.matchLabels : {};
  return Object.entries(labels)
    .map(([key, value]) => `${key}=${value}`)
    .join(",");
}
