/** A step of a path as fieldsV1 writes it: `f:name`, `k:{"name":"x"}`, `v:"x"` or `i:0`. */
export type PathElement = string;

/** A set of fields: what it has at each path. Nodes that hold nothing are left out. */
export type FieldSet = ReadonlyMap<PathElement, FieldNode>;

export interface FieldNode {
  /** The path itself is in the set, not only fields below it. */
  readonly member: boolean;
  readonly below: FieldSet;
}

export const NO_FIELDS: FieldSet = new Map();
const ABSENT: FieldNode = { member: false, below: NO_FIELDS };

interface NewNode {
  member: boolean;
  readonly below: Map<PathElement, NewNode>;
}

/** The set of these paths. The empty path, which is the object itself, is in no set. */
export function fieldSet(paths: Iterable<readonly PathElement[]>): FieldSet {
  const root: NewNode = { member: false, below: new Map() };
  for (const path of paths) {
    let node = root;
    for (const element of path) {
      const next: NewNode = node.below.get(element) ?? { member: false, below: new Map() };
      node.below.set(element, next);
      node = next;
    }
    node.member = true;
  }
  return root.below;
}

export const union = (a: FieldSet, b: FieldSet): FieldSet => combine(a, b, UNION);
export const intersection = (a: FieldSet, b: FieldSet): FieldSet => combine(a, b, INTERSECTION);
export const difference = (a: FieldSet, b: FieldSet): FieldSet => combine(a, b, DIFFERENCE);

/** Which paths a combination has: those only on the left, only on the right, on both sides. */
interface Combination {
  readonly left: boolean;
  readonly right: boolean;
  readonly both: boolean;
}
const UNION: Combination = { left: true, right: true, both: true };
const INTERSECTION: Combination = { left: false, right: false, both: true };
const DIFFERENCE: Combination = { left: true, right: false, both: false };

function combine(a: FieldSet, b: FieldSet, wanted: Combination): FieldSet {
  if (b.size === 0) return wanted.left ? a : NO_FIELDS;
  if (a.size === 0) return wanted.right ? b : NO_FIELDS;
  const out = new Map<PathElement, FieldNode>();
  for (const element of new Set([...a.keys(), ...b.keys()])) {
    const left = a.get(element) ?? ABSENT;
    const right = b.get(element) ?? ABSENT;
    const below = combine(left.below, right.below, wanted);
    const member = left.member ? wanted[right.member ? "both" : "left"] : right.member && wanted.right;
    if (member || below.size > 0) out.set(element, { member, below });
  }
  return out;
}

/** The fields of `a` that are neither in `b` nor below one that is. */
export function outside(a: FieldSet, b: FieldSet): FieldSet {
  const out = new Map<PathElement, FieldNode>();
  for (const [element, node] of a) {
    const other = b.get(element) ?? ABSENT;
    if (other.member) continue;
    const below = outside(node.below, other.below);
    if (node.member || below.size > 0) out.set(element, { member: node.member, below });
  }
  return out;
}

/** Every path of the set, in the order in which the API server names them: siblings before what is below them. */
export function* pathsOf(
  set: FieldSet,
  above: readonly PathElement[] = [],
): Iterable<readonly PathElement[]> {
  const nodes = [...set].sort(([a], [b]) => (a < b ? -1 : 1));
  for (const [element, { member }] of nodes) if (member) yield [...above, element];
  for (const [element, { below }] of nodes) yield* pathsOf(below, [...above, element]);
}
