import { isRecord } from "../../lib/json.ts";
import { TEMPLATE_LIMITS } from "./template.ts";
import { TEMPLATE_FUNCTIONS, TemplateFailure } from "./template_functions.ts";
import { type Expression, type Node, parseTemplate } from "./template_parser.ts";

/** A text that no data could be rendered with. */
export interface TemplateProblem {
  readonly path: string;
  /** In a clause. */
  readonly error: string;
}

const KNOWN: ReadonlySet<string> = new Set(TEMPLATE_FUNCTIONS);

/** The texts of a value of JSON that can never be rendered, whatever the data. `path`: where the value stands. */
export function templateProblems(value: unknown, path: string): readonly TemplateProblem[] {
  if (typeof value === "string") {
    const error = sourceProblem(value);
    return error === undefined ? [] : [{ path, error }];
  }
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => templateProblems(item, `${path}[${index}]`));
  }
  if (!isRecord(value)) return [];
  return Object.entries(value).flatMap(([key, item]) => templateProblems(item, `${path}.${key}`));
}

function sourceProblem(source: string): string | undefined {
  if (!source.includes("{{") && !source.includes("}}")) return undefined;
  if (source.length > TEMPLATE_LIMITS.source) {
    return `it is longer than ${TEMPLATE_LIMITS.source} characters`;
  }
  try {
    const unknown = functionsIn(parseTemplate(source)).find((name) => !KNOWN.has(name));
    return unknown === undefined ? undefined : `the function ${unknown} is unknown`;
  } catch (error) {
    if (error instanceof TemplateFailure) return error.message;
    throw error;
  }
}

function functionsIn(nodes: readonly Node[]): readonly string[] {
  return nodes.flatMap((node) => {
    if (node.type === "text") return [];
    const called = callsOf(node.value);
    return "body" in node ? [...called, ...functionsIn(node.body), ...functionsIn(node.otherwise)] : called;
  });
}

function callsOf(expression: Expression): readonly string[] {
  return expression.type === "call" ? [expression.name, ...expression.args.flatMap(callsOf)] : [];
}
