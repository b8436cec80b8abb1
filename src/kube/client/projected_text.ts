import type { FieldPlan, Plan } from "../projection.ts";
import {
  BACKSLASH,
  CLOSE_LIST,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  CUT_OFF,
  OPEN_LIST,
  OPEN_OBJECT,
  QUOTE,
  spaceEnd,
  stringEnd,
  valueEnd,
} from "./json_bytes.ts";

/**
 * The text of some JSON without what the plan drops: what nobody reads is then never parsed, which is most of the
 * work of following many objects. JSON that ends too soon is returned whole, for the parser to complain about.
 */
export function projectedText(json: Buffer, plan: Plan = "keep"): string {
  if (typeof plan === "string") return json.toString("utf8");
  const cutter = new Cutter(json);
  return cutter.value(0, plan, true) === CUT_OFF ? json.toString("utf8") : cutter.text();
}

/** Where the text of one event after the other is put together; that of a list gets its own place. */
const scratch = Buffer.allocUnsafeSlow(64 * 2 ** 10);

class Cutter {
  readonly #json: Buffer;
  readonly #kept: Buffer;
  /** Where the text begins that is kept but not taken yet. */
  #from = 0;
  #taken = 0;

  constructor(json: Buffer) {
    this.#json = json;
    this.#kept = json.length <= scratch.length ? scratch : Buffer.allocUnsafeSlow(json.length);
  }

  /** What was kept, with all that follows. */
  text(): string {
    this.#take(this.#json.length);
    return this.#kept.toString("utf8", 0, this.#taken);
  }

  #take(end: number): void {
    this.#taken += this.#json.copy(this.#kept, this.#taken, this.#from, end);
  }

  /**
   * Goes through a value that is kept at least in part, to the position after it. When nothing is to be decided in
   * what follows it, it may go to the end of all instead.
   */
  value(start: number, plan: Plan, isLast: boolean): number {
    const json = this.#json;
    const at = spaceEnd(json, start);
    if (typeof plan !== "string") {
      if (json[at] === OPEN_OBJECT) return this.#object(at, plan, isLast);
      if (json[at] === OPEN_LIST) return this.#list(at, plan);
    }
    return valueEnd(json, at);
  }

  #list(open: number, plan: Plan): number {
    const json = this.#json;
    let at = spaceEnd(json, open + 1);
    if (json[at] === CLOSE_LIST) return at + 1;
    for (;;) {
      at = this.value(at, plan, false);
      if (at === CUT_OFF) return CUT_OFF;
      at = spaceEnd(json, at);
      if (json[at] === CLOSE_LIST) return at + 1;
      if (json[at] !== COMMA) return CUT_OFF;
      at++;
    }
  }

  #object(open: number, plan: FieldPlan, isLast: boolean): number {
    const json = this.#json;
    const undecided = plan.others === "keep" ? plan.fields.length : Number.POSITIVE_INFINITY;
    let decided = 0;
    let at = spaceEnd(json, open + 1);
    if (json[at] === CLOSE_OBJECT) return at + 1;
    /** Where the text is parted when a field is dropped: before its comma, unless it comes first. */
    let edge = at;
    let hasKept = false;
    let inGap = false;
    for (;;) {
      at = spaceEnd(json, at);
      const nameEnd = json[at] === QUOTE ? stringEnd(json, at) : CUT_OFF;
      if (nameEnd === CUT_OFF) return CUT_OFF;
      const fate = fateOf(json, at, nameEnd, plan);
      if (fate === "drop") {
        if (!inGap) this.#take(edge);
        inGap = true;
      } else {
        if (inGap) this.#from = hasKept ? edge : at;
        inGap = false;
        hasKept = true;
      }
      const colon = spaceEnd(json, nameEnd);
      if (json[colon] !== COLON) return CUT_OFF;
      const isDecided = isLast && fate !== "keep" && ++decided === undecided;
      at =
        fate === "drop" ? valueEnd(json, spaceEnd(json, colon + 1)) : this.value(colon + 1, fate, isDecided);
      if (at === CUT_OFF) return CUT_OFF;
      if (at === json.length && isDecided) return at;
      at = spaceEnd(json, at);
      if (inGap) this.#from = json[at] === COMMA && !hasKept ? at + 1 : at;
      if (json[at] === CLOSE_OBJECT) return at + 1;
      if (json[at] !== COMMA) return CUT_OFF;
      if (isDecided) return json.length;
      edge = at++;
    }
  }
}

/** What the plan says of the field whose quoted name lies between the positions. */
function fateOf(json: Buffer, start: number, end: number, plan: FieldPlan): Plan {
  const { fields, others } = plan;
  for (const { utf8, plan } of fields) {
    if (isAt(json, start + 1, end - 1, utf8)) return plan;
  }
  if (!hasEscape(json, start, end)) return others;
  const name = JSON.parse(json.toString("utf8", start, end)) as string;
  return fields.find((field) => field.name === name)?.plan ?? others;
}

function isAt(json: Buffer, start: number, end: number, utf8: Uint8Array): boolean {
  if (end - start !== utf8.length) return false;
  for (let i = 0; i < utf8.length; i++) {
    if (json[start + i] !== utf8[i]) return false;
  }
  return true;
}

function hasEscape(json: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    if (json[i] === BACKSLASH) return true;
  }
  return false;
}
