import { isRecord } from "../../lib/json.ts";
import { messageOf } from "../../lib/result.ts";
import { durationMs } from "./duration.ts";

/** The settings of one API, each field read once: what nobody reads is a typing error. */
export class SettingsReader {
  readonly #name: string;
  readonly #left: Map<string, unknown>;

  constructor(name: string, given: unknown) {
    if (given !== undefined && given !== null && !isRecord(given)) throw wrong(name, given, "an object");
    this.#name = name;
    this.#left = new Map(Object.entries(given ?? {}));
  }

  part(field: string): SettingsReader {
    return new SettingsReader(this.#at(field), this.#take(field));
  }

  text(field: string): string | undefined {
    const value = this.#take(field);
    if (value === undefined || value === "") return undefined;
    if (typeof value !== "string") throw wrong(this.#at(field), value, "a text");
    return value;
  }

  texts(field: string): readonly string[] | undefined {
    const value = this.#take(field);
    if (value === undefined) return undefined;
    if (!Array.isArray(value) || !value.every((one) => typeof one === "string")) {
      throw wrong(this.#at(field), value, "a list of texts");
    }
    return value;
  }

  oneOf<T extends string>(field: string, known: readonly T[]): T | undefined {
    const value = this.text(field);
    if (value === undefined) return undefined;
    const found = known.find((one) => one === value);
    if (found === undefined) throw wrong(this.#at(field), value, `one of ${known.join(", ")}`);
    return found;
  }

  number(field: string, most: number): number | undefined {
    const value = this.#take(field);
    if (value === undefined) return undefined;
    const fits = typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= most;
    if (!fits) throw wrong(this.#at(field), value, `a whole number from 0 to ${most}`);
    return value;
  }

  duration(field: string): number | undefined {
    const value = this.text(field);
    if (value === undefined) return undefined;
    try {
      return durationMs(value);
    } catch (error) {
      throw new Error(`${this.#at(field)}: ${messageOf(error)}; write one such as 1h30m`, { cause: error });
    }
  }

  end(): void {
    const [unread] = this.#left.keys();
    if (unread !== undefined) throw new Error(`${this.#at(unread)} is no setting of this API`);
  }

  #take(field: string): unknown {
    const value = this.#left.get(field);
    this.#left.delete(field);
    return value ?? undefined;
  }

  #at(field: string): string {
    return `${this.#name}.${field}`;
  }
}

function wrong(name: string, value: unknown, what: string): Error {
  return new Error(`${name} is ${JSON.stringify(value)}: it must be ${what}`);
}
