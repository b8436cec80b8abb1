import type { Clock } from "../../lib/clock.ts";
import { isRecord } from "../../lib/json.ts";
import { err, ok, type Result } from "../../lib/result.ts";
import {
  callFunction,
  charactersRead,
  Missing,
  TemplateFailure,
  textOf,
  truth,
} from "./template_functions.ts";
import { type Expression, type Node, parseTemplate } from "./template_parser.ts";
import { sizeOf } from "./template_sizes.ts";

/** What a template may cost. One that needs more ends with an error. */
export interface TemplateLimits {
  /** Characters of the template. */
  readonly source: number;
  /** Characters of the result. */
  readonly output: number;
  /** Values and functions that are evaluated, and turns of loops; long values count as several. */
  readonly steps: number;
  /** By the clock, should the steps be slower than they are meant to be: nothing else is done meanwhile. */
  readonly milliseconds: number;
}

export const TEMPLATE_LIMITS: TemplateLimits = {
  source: 65_536,
  output: 262_144,
  steps: 100_000,
  milliseconds: 2_000,
};

/** So many characters, or items, that are read or made cost as much as a step. */
const PER_STEP = 64;
/** After so many steps the clock is looked at again. */
const PER_LOOK = 256;

export interface RenderOptions {
  readonly limits?: TemplateLimits;
  /** Without one, the time is not limited. */
  readonly clock?: Pick<Clock, "monotonic"> | undefined;
}

/** What has been used of the limits. */
class Meter {
  readonly limits: TemplateLimits;
  readonly #clock: RenderOptions["clock"];
  readonly #begun: number;
  #steps = 0;
  #nextLook = PER_LOOK;
  #length = 0;

  constructor({ limits = TEMPLATE_LIMITS, clock }: RenderOptions) {
    this.limits = limits;
    this.#clock = clock;
    this.#begun = clock?.monotonic() ?? 0;
  }

  step(count = 1): void {
    this.#steps += count;
    if (this.#steps > this.limits.steps) {
      throw new TemplateFailure(`it takes more than ${this.limits.steps} steps`);
    }
    if (this.#steps >= this.#nextLook) this.look();
  }

  /** For so many characters, or items, that are read or made. */
  stepsFor(size: number): void {
    this.step(Math.floor(size / PER_STEP));
  }

  look(): void {
    this.#nextLook = this.#steps + PER_LOOK;
    const { milliseconds } = this.limits;
    if (this.#clock && this.#clock.monotonic() - this.#begun > milliseconds) {
      throw new TemplateFailure(`it takes longer than ${milliseconds} ms`);
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
  options: RenderOptions = {},
): Result<string, string> {
  return rendered(source, data, new Meter(options));
}

function rendered(source: string, data: unknown, meter: Meter): Result<string, string> {
  const longest = meter.limits.source;
  try {
    if (source.length > longest) throw new TemplateFailure(`it is longer than ${longest} characters`);
    meter.look();
    return ok(new Rendering(data, meter).render(parseTemplate(source)));
  } catch (error) {
    if (error instanceof TemplateFailure) return err(error.message);
    if (error instanceof RangeError) return err("a value nests too deep");
    throw error;
  }
}

/**
 * Renders every text in a value of JSON; of several errors the first, with its path. Keys stay as they are. The limits of
 * steps, of the result and of the time are those of all texts together.
 */
export function renderLeaves<T>(
  value: T,
  data: unknown,
  { path = "", ...options }: RenderOptions & { readonly path?: string } = {},
): Result<T, string> {
  let problem: string | undefined;
  const meter = new Meter(options);
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
    const assigns = nodes.some(({ type }) => type === "assign");
    const scope = assigns ? this.#copyOf(variables) : variables;
    const parts: string[] = [];
    for (const node of nodes) {
      if (node.type === "assign") {
        (scope as Map<string, unknown>).set(node.name, this.#present(node.value, dot, scope));
      } else parts.push(this.#node(node, dot, scope));
    }
    return parts.join("");
  }

  /** The variables of a block, which are gone after it. */
  #copyOf(variables: Variables): Map<string, unknown> {
    this.#meter.stepsFor(variables.size);
    return new Map(variables);
  }

  #node(node: Exclude<Node, { type: "assign" }>, dot: unknown, variables: Variables): string {
    switch (node.type) {
      case "text":
        return this.#meter.written(node.text);
      case "action":
        return this.#written(this.#present(node.value, dot, variables));
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
            const named = this.#copyOf(variables);
            if (second !== undefined && first !== undefined) named.set(first, key).set(second, value);
            else if (first !== undefined) named.set(first, value);
            return this.#nodes(node.body, value, named);
          })
          .join("");
      }
    }
  }

  #written(value: unknown): string {
    this.#meter.stepsFor(sizeOf(value));
    return this.#meter.written(textOf(value));
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
        this.#meter.stepsFor(charactersRead(expression.name, values));
        const made = callFunction(expression.name, values, (value) => missing(value));
        if (typeof made === "string" || Array.isArray(made)) this.#meter.stepsFor(made.length);
        return made;
      }
    }
  }

  #field(
    { base, path, source }: Extract<Expression, { type: "field" }>,
    dot: unknown,
    variables: Variables,
  ): unknown {
    this.#meter.stepsFor(path.length);
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
