import { TemplateFailure } from "./template_functions.ts";

/** How deep blocks and parentheses may be nested. */
const DEEPEST = 32;

export type Expression = { readonly source: string } & (
  | { readonly type: "literal"; readonly value: unknown }
  | { readonly type: "field"; readonly base: Base; readonly path: readonly string[] }
  | { readonly type: "call"; readonly name: string; readonly args: readonly Expression[] }
);

/** Where a path begins: the present value, the whole data, or a variable. */
type Base = "." | "$" | { readonly variable: string };

interface Block {
  readonly value: Expression;
  readonly body: readonly Node[];
  readonly otherwise: readonly Node[];
}

export type Node =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "action"; readonly value: Expression }
  | { readonly type: "assign"; readonly name: string; readonly value: Expression }
  | ({ readonly type: "if" } & Block)
  | ({ readonly type: "with" } & Block)
  | ({ readonly type: "range"; readonly names: readonly string[] } & Block);

interface Piece {
  readonly text?: string;
  readonly action?: string;
}

/** The parts of a template. Throws TemplateFailure where it cannot be understood. */
export function parseTemplate(source: string): readonly Node[] {
  return new BlockParser(piecesOf(source)).parse();
}

const OPEN = /\{\{(-\s)?/g;

function piecesOf(source: string): readonly Piece[] {
  const pieces: Piece[] = [];
  let at = 0;
  let trimNext = false;
  const text = (until: number, trimEnd: boolean) => {
    let part = source.slice(at, until);
    if (part.includes("}}")) throw new TemplateFailure("it has }} without {{");
    if (trimNext) part = part.trimStart();
    if (trimEnd) part = part.trimEnd();
    if (part) pieces.push({ text: part });
  };
  for (;;) {
    OPEN.lastIndex = at;
    const open = OPEN.exec(source);
    if (!open) break;
    text(open.index, open[1] !== undefined);
    const end = endOfAction(source, OPEN.lastIndex);
    let action = source.slice(open.index + 2 + (open[1] ? 1 : 0), end);
    trimNext = /\s-$/.test(action);
    if (trimNext) action = action.slice(0, -1);
    action = action.trim();
    if (!/^\/\*.*\*\/$/s.test(action)) pieces.push({ action });
    at = end + 2;
  }
  text(source.length, false);
  return pieces;
}

/** The end of an action: the first braces that are not in a text. */
function endOfAction(source: string, from: number): number {
  let quote = "";
  for (let at = from; at < source.length; at++) {
    const char = source[at] ?? "";
    if (quote) {
      if (char === "\\" && quote === '"') at++;
      else if (char === quote) quote = "";
    } else if (char === '"' || char === "`") quote = char;
    else if (char === "}" && source[at + 1] === "}") return at;
  }
  throw new TemplateFailure("it has {{ without }}");
}

const KEYWORD = /^(if|with|range|else|end)\b\s*(.*)$/s;
const ASSIGNMENT = /^\$([A-Za-z]\w*)\s*:?=\s*(.*)$/s;
const RANGE_NAMES = /^\$([A-Za-z]\w*)(?:\s*,\s*\$([A-Za-z]\w*))?\s*:=\s*(.*)$/s;

class BlockParser {
  readonly #pieces: readonly Piece[];
  #at = 0;

  constructor(pieces: readonly Piece[]) {
    this.#pieces = pieces;
  }

  parse(): readonly Node[] {
    const { nodes, stop } = this.#nodes(0);
    if (stop !== undefined) throw new TemplateFailure(`{{ ${stop} }} belongs to no block`);
    return nodes;
  }

  /** The parts until the end of the block, and the action that ends it. */
  #nodes(depth: number): { readonly nodes: readonly Node[]; readonly stop?: string } {
    if (depth > DEEPEST) throw new TemplateFailure(`it nests more than ${DEEPEST} blocks`);
    const nodes: Node[] = [];
    for (;;) {
      const piece = this.#pieces[this.#at++];
      if (!piece) return { nodes };
      if (piece.text !== undefined) {
        nodes.push({ type: "text", text: piece.text });
        continue;
      }
      const action = piece.action ?? "";
      const [, word, rest = ""] = KEYWORD.exec(action) ?? [];
      if (word === "end" || word === "else") return { nodes, stop: action };
      if (word === "if" || word === "with" || word === "range") nodes.push(this.#block(word, rest, depth));
      else nodes.push(simple(action));
    }
  }

  #block(word: "if" | "with" | "range", rest: string, depth: number): Node {
    const [, first, second, over] = word === "range" ? (RANGE_NAMES.exec(rest) ?? []) : [];
    const value = expressionOf(over ?? rest);
    const body = this.#nodes(depth + 1);
    let otherwise: readonly Node[] = [];
    let stop = body.stop;
    const [, chained] = /^else\s+if\b\s*(.*)$/s.exec(stop ?? "") ?? [];
    if (chained !== undefined) {
      otherwise = [this.#block("if", chained, depth + 1)];
      stop = "end";
    } else if (stop === "else") {
      const rest = this.#nodes(depth + 1);
      otherwise = rest.nodes;
      stop = rest.stop;
    }
    if (stop !== "end") throw new TemplateFailure(`{{ ${word} }} has no {{ end }}`);
    const block = { value, body: body.nodes, otherwise };
    if (word !== "range") return { type: word, ...block };
    return { type: word, names: [first, second].filter((name) => name !== undefined), ...block };
  }
}

function simple(action: string): Node {
  const [, name, value] = ASSIGNMENT.exec(action) ?? [];
  if (name !== undefined && value !== undefined) return { type: "assign", name, value: expressionOf(value) };
  return { type: "action", value: expressionOf(action) };
}

const TOKEN =
  /\s*(?:(?<text>"(?:[^"\\\n]|\\.)*"|`[^`]*`)|(?<number>-?\d+(?:\.\d+)?)|(?<field>(?:\$[A-Za-z_]\w*|\$)?(?:\.[A-Za-z_][\w-]*)+|\$[A-Za-z_]\w*|\$|\.)|(?<word>[A-Za-z]\w*)|(?<sign>[()|]))/y;

interface Token {
  readonly kind: "text" | "number" | "field" | "word" | "sign";
  readonly text: string;
}

function tokensOf(source: string): readonly Token[] {
  const tokens: Token[] = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.trimEnd().length) {
    const at = TOKEN.lastIndex;
    const found = TOKEN.exec(source);
    const [kind, text] = Object.entries(found?.groups ?? {}).find(([, value]) => value !== undefined) ?? [];
    if (kind === undefined || text === undefined) {
      throw new TemplateFailure(
        `{{ ${source} }} cannot be understood at ${JSON.stringify(source.slice(at, at + 10))}`,
      );
    }
    tokens.push({ kind: kind as Token["kind"], text });
  }
  return tokens;
}

function expressionOf(source: string): Expression {
  const parser = new ExpressionParser(source.trim());
  return parser.parse();
}

class ExpressionParser {
  readonly #source: string;
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(source: string) {
    this.#source = source;
    this.#tokens = tokensOf(source);
  }

  parse(): Expression {
    const value = this.#pipeline(0);
    if (this.#at < this.#tokens.length) throw this.#wrong();
    return value;
  }

  /** What is before a bar is the last argument of what follows it. */
  #pipeline(depth: number): Expression {
    if (depth > DEEPEST)
      throw new TemplateFailure(`{{ ${this.#source} }} nests more than ${DEEPEST} parentheses`);
    let value = this.#command(depth);
    while (this.#tokens[this.#at]?.text === "|") {
      this.#at++;
      const next = this.#command(depth);
      if (next.type !== "call") throw this.#wrong();
      value = { ...next, args: [...next.args, value] };
    }
    return value;
  }

  #command(depth: number): Expression {
    const token = this.#tokens[this.#at];
    if (token?.kind === "word" && !Object.hasOwn(LITERALS, token.text)) {
      this.#at++;
      const args: Expression[] = [];
      while (this.#beginsOperand()) args.push(this.#operand(depth));
      return { type: "call", name: token.text, args, source: this.#source };
    }
    return this.#operand(depth);
  }

  #beginsOperand(): boolean {
    const token = this.#tokens[this.#at];
    return token !== undefined && (token.kind !== "sign" || token.text === "(");
  }

  #operand(depth: number): Expression {
    const token = this.#tokens[this.#at++];
    const source = token?.text ?? "";
    if (token?.kind === "text") return { type: "literal", value: unquoted(token.text), source };
    if (token?.kind === "number") return { type: "literal", value: Number(token.text), source };
    if (token?.kind === "field") return fieldOf(token.text);
    if (token?.kind === "word") {
      if (Object.hasOwn(LITERALS, token.text))
        return { type: "literal", value: LITERALS[token.text], source };
      return { type: "call", name: token.text, args: [], source };
    }
    if (token?.text === "(") {
      const inner = this.#pipeline(depth + 1);
      if (this.#tokens[this.#at++]?.text !== ")") throw this.#wrong();
      return inner;
    }
    throw this.#wrong();
  }

  #wrong(): TemplateFailure {
    return new TemplateFailure(`{{ ${this.#source} }} cannot be understood`);
  }
}

const LITERALS: Readonly<Record<string, unknown>> = { true: true, false: false, nil: null };

function unquoted(text: string): string {
  if (text.startsWith("`")) return text.slice(1, -1);
  try {
    return JSON.parse(text) as string;
  } catch {
    throw new TemplateFailure(`${text} is no text: an escape in it is unknown`);
  }
}

function fieldOf(text: string): Expression {
  if (text === ".") return { type: "field", base: ".", path: [], source: text };
  const [head = "", ...path] = text.split(".");
  const base = head === "" ? "." : head === "$" ? "$" : { variable: head.slice(1) };
  return { type: "field", base, path, source: text };
}
