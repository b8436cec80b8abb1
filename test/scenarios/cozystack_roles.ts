import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseAllDocuments } from "yaml";
import type { PolicyRule } from "../../src/kube/policy_rules.ts";

interface Role {
  readonly metadata: { readonly name: string };
  readonly rules: readonly PolicyRule[];
}

const FILE = join(import.meta.dirname, "../../examples/cozystack/roles.yaml");
const roles = parseAllDocuments(readFileSync(FILE, "utf8")).map((one) => one.toJS() as Role);

/** The rules of a role of the examples. */
export function exampleRules(name: string): readonly PolicyRule[] {
  const role = roles.find(({ metadata }) => metadata.name === name);
  if (!role) throw new Error(`the examples have no role ${name}`);
  return role.rules;
}
