import { isRecord } from "../../lib/json.ts";

type Step =
  | { readonly type: "field"; readonly name: string }
  | { readonly type: "index"; readonly index: number }
  | { readonly type: "all" }
  | { readonly type: "filter"; readonly path: readonly Step[]; readonly equals: string };

/**
 * The values that a JSON path of a CRD leads to. What it knows is what such paths use: fields, escaped dots,
 * `['name']`, indexes, `[*]` and `[?(@.type=="Ready")]`. A path that it cannot read leads nowhere.
 */
export function jsonPath(path: string): (object: unknown) => readonly unknown[] {
  const steps = parse(path);
  return (object) => (steps ? steps.reduce<readonly unknown[]>(follow, [object]) : []);
}

const TOKEN =
  /\.((?:[^.[\\]|\\.)+)|\[(-?\d+)\]|\[(\*)\]|\['([^']*)'\]|\[\?\(\s*@(\.[^=\s]+)\s*==\s*(?:"([^"]*)"|'([^']*)'|([^)\s]+))\s*\)\]/y;

function parse(path: string): readonly Step[] | undefined {
  const steps: Step[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < path.length) {
    const [found, field, index, all, quoted, filter, ...equals] = TOKEN.exec(path) ?? [];
    if (found === undefined) return undefined;
    if (field === "*" || all) steps.push({ type: "all" });
    else if (field !== undefined) steps.push({ type: "field", name: field.replaceAll(/\\(.)/g, "$1") });
    else if (quoted !== undefined) steps.push({ type: "field", name: quoted });
    else if (index !== undefined) steps.push({ type: "index", index: Number(index) });
    else if (filter !== undefined) {
      const end = TOKEN.lastIndex;
      const inner = parse(filter);
      TOKEN.lastIndex = end;
      if (!inner) return undefined;
      steps.push({ type: "filter", path: inner, equals: equals.find((text) => text !== undefined) ?? "" });
    }
  }
  return steps;
}

function follow(values: readonly unknown[], step: Step): readonly unknown[] {
  switch (step.type) {
    case "field":
      return values.flatMap((value) =>
        isRecord(value) && Object.hasOwn(value, step.name) ? [value[step.name]] : [],
      );
    case "index":
      return values.flatMap((value) =>
        Array.isArray(value) && value.at(step.index) !== undefined ? [value.at(step.index)] : [],
      );
    case "all":
      return values.flatMap(children);
    case "filter":
      return values
        .flatMap(children)
        .filter((child) => step.path.reduce(follow, [child]).some((found) => String(found) === step.equals));
  }
}

function children(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  return isRecord(value) ? Object.values(value) : [];
}
