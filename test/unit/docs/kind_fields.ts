import type { Structural } from "../../../src/kube/schema/structural.ts";
import { APIS } from "../../../src/main/apis.ts";

const KINDS = APIS.flatMap((api) => api.kinds);

/**
 * Whether a kind of ours has this field, such as `spec.catalog.retain`, or `catalog.retain` for short. With `plural`
 * only that kind is looked at.
 */
export function isField(path: string, plural?: string): boolean {
  const names = path.split(".");
  const kinds = KINDS.filter(({ resource }) => plural === undefined || resource.plural === plural);
  // What begins with one of these is a whole path. Further down, embedded objects have a spec of anything.
  const isWhole = names[0] === "spec" || names[0] === "status";
  return kinds.some(({ schema }) => (isWhole ? has(schema, names) : within(schema, names)));
}

/** Every value that a field of ours may have, where there are few. */
export function choices(): ReadonlySet<string> {
  return new Set(KINDS.flatMap(({ schema }) => enumsOf(schema)));
}

/** A path begins with a name that the schema knows; where any name may stand, any would do. */
function within(node: Structural, names: readonly string[]): boolean {
  const begins = node.properties?.[names[0] ?? ""] !== undefined;
  return (begins && has(node, names)) || below(node).some((child) => within(child, names));
}

function has(node: Structural, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  if (node["x-kubernetes-preserve-unknown-fields"] && node.properties === undefined)
    return node.type === "object";
  if (node.items) return has(node.items, [name, ...rest]);
  const next = node.properties?.[name];
  if (next) return has(next, rest);
  const { additionalProperties: others } = node;
  return others === true || (others !== undefined && has(others, rest));
}

function below({ properties = {}, items, additionalProperties: others }: Structural): readonly Structural[] {
  return [
    ...Object.values(properties),
    ...(items ? [items] : []),
    ...(typeof others === "object" ? [others] : []),
  ];
}

function enumsOf(node: Structural): readonly string[] {
  return [...(node.enum ?? []).map(String), ...below(node).flatMap(enumsOf)];
}
