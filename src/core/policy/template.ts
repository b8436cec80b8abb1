import { isRecord } from "../../lib/json.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import { callFunction, Missing, TemplateFailure, textOf, truth } from "./template_functions.ts";
import { type Expression, type Node, parseTemplate } from "./template_parser.ts";

/** What a template may cost. One that needs more ends with an error. */
export interface TemplateLimits {
  /** Characters of the template. */
  readonly source: number;
  /** Characters of the result. */
  readonly output: number;
  /** Values and functions that are evaluated, and turns of loops; long values count as several. */
  readonly steps: number;
}

export const TEMPLATE_LIMITS: TemplateLimits = { source: 65_536, output: 262_144, steps: 100_000 };

/** So many characters, or items, that a function makes cost as much as a step. */
const PER_STEP = 64;

/** What has been used of the limits. */
class Meter {
  readonly limits: TemplateLimits;
  #steps = 0;
  #length = 0;

  constructor(limits: TemplateLimits) {
    this.limits = limits;
  }

  step(count = 1): void {
    this.#steps += count;
    if (this.#steps > this.limits.steps) {
      throw new TemplateFailure(`it takes more than ${this.limits.steps} steps`);
    }
  }

  written(text: string): string {
    this.#length += text.length;
    if (this.#length > this.limits.output) {
      throw new TemplateFailure(`its result is longer than ${this.limits.output} characters`);
    }
    return text;
  }
}

/**
 * Renders a template in the style of Go's: fields, pipelines, functions, `if`, `with` and `range`. It can look at nothing
 * but the data, and ends within its limits. A value that is missing is an error that names it, unless `default` follows.
 */
export function renderGoTemplate(
  source: string,
  data: unknown,
  limits: TemplateLimits = TEMPLATE_LIMITS,
): Result<string, string> {
  return rendered(source, data, new Meter(limits));
}

function rendered(source: string, data: unknown, meter: Meter): Result<string, string> {
  const longest = meter.limits.source;
  try {
    if (source.length > longest) throw new TemplateFailure(`it is longer than ${longest} characters`);
    return ok(new Rendering(data, meter).render(parseTemplate(source)));
  } catch (error) {
    if (error instanceof TemplateFailure) return err(error.message);
    throw error;
  }
}

/**
 * Renders every text in a value of JSON; of several errors the first, with its path. Keys stay as they are. The limits of
 * steps and of the result are those of all texts together.
 */
export function renderLeaves<T>(
  value: T,
  data: unknown,
  { path = "", limits = TEMPLATE_LIMITS }: { readonly path?: string; readonly limits?: TemplateLimits } = {},
): Result<T, string> {
  let problem: string | undefined;
  const meter = new Meter(limits);
  const walk = (one: unknown, at: string): unknown => {
    if (problem !== undefined) return one;
    if (typeof one === "string") {
      if (!one.includes("{{") && !one.includes("}}")) return one;
      const text = rendered(one, data, meter);
      if (text.ok) return text.value;
      problem = `${at}: ${text.error}`;
      return one;
    }
    if (Array.isArray(one)) return one.map((item, index) => walk(item, `${at}[${index}]`));
    if (!isRecord(one)) return one;
    return Object.fromEntries(
      Object.entries(one).map(([key, item]) => [key, walk(item, at === "" ? key : `${at}.${key}`)]),
    );
  };
  const result = walk(value, path) as T;
  return problem === undefined ? ok(result) : err(problem);
}

type Variables = ReadonlyMap<string, unknown>;

class Rendering {
  readonly #root: unknown;
  readonly #meter: Meter;

  constructor(root: unknown, meter: Meter) {
    this.#root = root;
    this.#meter = meter;
  }

  render(nodes: readonly Node[]): string {
    return this.#nodes(nodes, this.#root, new Map());
  }

  #nodes(nodes: readonly Node[], dot: unknown, variables: Variables): string {
    let scope = variables;
    const parts: string[] = [];
    for (const node of nodes) {
      if (node.type === "assign") {
        scope = new Map([...scope, [node.name, this.#present(node.value, dot, scope)]]);
      } else parts.push(this.#node(node, dot, scope));
    }
    return parts.join("");
  }

  #node(node: Exclude<Node, { type: "assign" }>, dot: unknown, variables: Variables): string {
    switch (node.type) {
      case "text":
        return this.#meter.written(node.text);
      case "action":
        return this.#meter.written(textOf(this.#present(node.value, dot, variables)));
      case "if":
        return truth(this.#value(node.value, dot, variables))
          ? this.#nodes(node.body, dot, variables)
          : this.#nodes(node.otherwise, dot, variables);
      case "with": {
        const value = this.#value(node.value, dot, variables);
        return truth(value)
          ? this.#nodes(node.body, value, variables)
          : this.#nodes(node.otherwise, dot, variables);
      }
      case "range": {
        const entries = entriesOf(this.#value(node.value, dot, variables), node.value.source);
        if (entries.length === 0) return this.#nodes(node.otherwise, dot, variables);
        return entries
          .map(([key, value]) => {
            this.#meter.step();
            const [first, second] = node.names;
            const named = new Map(variables);
            if (second !== undefined && first !== undefined) named.set(first, key).set(second, value);
            else if (first !== undefined) named.set(first, value);
            return this.#nodes(node.body, value, named);
          })
          .join("");
      }
    }
  }

  #present(expression: Expression, dot: unknown, variables: Variables): unknown {
    const value = this.#value(expression, dot, variables);
    if (value instanceof Missing) throw missing(value);
    return value;
  }

  #value(expression: Expression, dot: unknown, variables: Variables): unknown {
    this.#meter.step();
    switch (expression.type) {
      case "literal":
        return expression.value;
      case "field":
        return this.#field(expression, dot, variables);
      case "call": {
        const values = expression.args.map((arg) => this.#value(arg, dot, variables));
        const made = callFunction(expression.name, values, (value) => missing(value));
        if (typeof made === "string" || Array.isArray(made)) {
          this.#meter.step(Math.floor(made.length / PER_STEP));
        }
        return made;
      }
    }
  }

  #field(
    { base, path, source }: Extract<Expression, { type: "field" }>,
    dot: unknown,
    variables: Variables,
  ): unknown {
    let value: unknown = dot;
    if (base === "$") value = this.#root;
    else if (typeof base === "object") {
      if (!variables.has(base.variable)) throw new TemplateFailure(`{{ ${source} }}: no such variable`);
      value = variables.get(base.variable);
    }
    if (value instanceof Missing) return value;
    for (const name of path) {
      if (!isRecord(value) || !Object.hasOwn(value, name)) return new Missing(source);
      value = value[name];
      if (value === null || value === undefined) return new Missing(source);
    }
    return value;
  }
}

function missing({ source }: Missing): TemplateFailure {
  return new TemplateFailure(`{{ ${source} }} has no value`);
}

function entriesOf(value: unknown, source: string): readonly (readonly [unknown, unknown])[] {
  if (value instanceof Missing) throw missing(value);
  if (Array.isArray(value)) return value.map((item, index) => [index, item] as const);
  if (isRecord(value)) return Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1));
  throw new TemplateFailure(`{{ range ${source} }}: only a list or a map can be gone through`);
}
