import { type Problem, problemText } from "../../kube/schema/problem.ts";
import type { Stored } from "../store/store.ts";
import { checkObjectMeta } from "./object_meta.ts";
import { badRequest } from "./refusal.ts";

type Labels = Readonly<Record<string, string>>;
type Requirement = (labels: Labels) => boolean;

/** Whether an object with these labels is selected. Throws a Refusal for a text that is no selector. */
export function parseLabelSelector(text: string): (labels: Labels | undefined) => boolean {
  const requirements = new Parser(text).selector();
  return (labels = {}) => requirements.every((requirement) => requirement(labels));
}

const TOKEN = /\s*(==|!=|[=!<>(),]|[^\s=!<>(),]+)/gy;
const SYMBOL = /^[=!<>(),]/;
const INTEGER = /^[+-]?\d+$/;

/** The words of a selector, taken one after the other; the end is an empty word. */
class Parser {
  readonly #words: readonly string[];
  #next = 0;

  constructor(text: string) {
    this.#words = Array.from(text.matchAll(TOKEN), (match) => match[1] ?? "");
  }

  selector(): readonly Requirement[] {
    const requirements: Requirement[] = [];
    if (this.#word === "") return requirements;
    for (let first = true; ; first = false) {
      if (this.#word !== "!" && (this.#word === "" || SYMBOL.test(this.#word))) {
        this.#refuse(first ? "!, identifier, or 'end of string'" : "identifier after ','");
      }
      requirements.push(this.#requirement());
      if (this.#word === "") return requirements;
      if (this.#word !== ",") this.#refuse("',' or 'end of string'");
      this.#next++;
    }
  }

  #requirement(): Requirement {
    const negated = this.#word === "!";
    if (negated) this.#next++;
    const key = this.#identifier();
    const [problem] = labelProblems(key, "");
    if (problem) fail(`<nil>: ${problem.message}`);
    if (negated) return (labels) => !Object.hasOwn(labels, key);
    if (this.#word === "" || this.#word === ",") return (labels) => Object.hasOwn(labels, key);
    return this.#comparison(key);
  }

  #comparison(key: string): Requirement {
    const operator = this.#take();
    const valueIn = (labels: Labels) => (Object.hasOwn(labels, key) ? labels[key] : undefined);
    switch (operator) {
      case "=":
      case "==":
      case "in": {
        const values = this.#values(key, operator === "in");
        return (labels) => values.has(valueIn(labels));
      }
      case "!=":
      case "notin": {
        const values = this.#values(key, operator === "notin");
        return (labels) => !values.has(valueIn(labels));
      }
      case "<":
      case ">": {
        const limit = this.#integer(key);
        return (labels) => {
          const value = valueIn(labels);
          if (value === undefined || !INTEGER.test(value)) return false;
          return operator === "<" ? BigInt(value) < limit : BigInt(value) > limit;
        };
      }
      default:
        this.#next--;
        return this.#refuse("in, notin, =, ==, !=, gt, lt", "unable to parse requirement: ");
    }
  }

  #values(key: string, many: boolean): ReadonlySet<string | undefined> {
    const values = many ? this.#list() : [this.#value()];
    for (const [index, value] of values.entries()) {
      const [problem] = labelProblems("key", value);
      if (problem) fail(problemText({ ...problem, field: `values[${index}][${key}]` }));
    }
    return new Set(values);
  }

  #integer(key: string): bigint {
    const [value] = [...this.#values(key, false)];
    if (value === undefined || !INTEGER.test(value)) {
      const rule = "for 'Gt', 'Lt' operators, the value must be an integer";
      return fail(`values[0]: Invalid value: ${JSON.stringify(value)}: ${rule}`);
    }
    return BigInt(value);
  }

  /** `(a,b)`; an item that is left out is an empty text. */
  #list(): readonly string[] {
    const opening = this.#take();
    if (opening !== "(") fail(`found '${opening}' expected: '('`);
    const values = [this.#item()];
    while (this.#word === ",") {
      this.#next++;
      values.push(this.#item());
    }
    if (this.#word !== ")") this.#refuse("',' or ')'", "unable to parse requirement: ");
    this.#next++;
    return values.sort();
  }

  #item(): string {
    return this.#word === "," || this.#word === ")" ? "" : this.#identifier();
  }

  #value(): string {
    return this.#word === "" || this.#word === "," ? "" : this.#identifier();
  }

  #identifier(): string {
    if (this.#word === "" || SYMBOL.test(this.#word))
      this.#refuse("identifier", "unable to parse requirement: ");
    return this.#take();
  }

  get #word(): string {
    return this.#words[this.#next] ?? "";
  }

  #take(): string {
    const word = this.#word;
    this.#next++;
    return word;
  }

  #refuse(expected: string, prefix = ""): never {
    throw badRequest(`${prefix}found '${this.#word}', expected: ${expected}`);
  }
}

function fail(why: string): never {
  throw badRequest(`unable to parse requirement: ${why}`);
}

/** A selector's keys and values obey the rules of the labels themselves. */
function labelProblems(key: string, value: string): readonly Problem[] {
  const labelled = { metadata: { labels: { [key]: value } } } as unknown as Stored;
  return checkObjectMeta(labelled, labelled);
}
