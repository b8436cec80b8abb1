import type { ArgumentSpec, CommandSpec, Completes, OptionSpec } from "../frame/command.ts";
import { GLOBAL_OPTIONS } from "../frame/global_options.ts";
import { optionsOf } from "../frame/parse.ts";

/** Something that may be written, and what it is. */
export interface Offer {
  readonly text: string;
  readonly summary?: string | undefined;
}

/** What may stand where a command line breaks off. */
export interface WordInQuestion {
  /** What is written of it. */
  readonly begun: string;
  /** Stands before it in the same word, such as `--mode=`. */
  readonly lead: string;
  /** What the table of commands knows. */
  readonly offers: readonly Offer[];
  /** What only the cluster or the machine knows. */
  readonly completes?: Completes | undefined;
  /** The options with values that were given before, by name. */
  readonly values: Readonly<Record<string, string>>;
}

/** Reads a command line whose last word is not finished. Pure, and never throws. */
export function wordInQuestion(words: readonly string[], commands: readonly CommandSpec[]): WordInQuestion {
  const line = new Line(joined(words), commands);
  const { values } = line;
  const equals = line.current.indexOf("=");
  if (!line.literal && line.current.startsWith("--") && equals > 0) {
    const lead = line.current.slice(0, equals + 1);
    const option = line.option(lead.slice(2, -1));
    return { begun: line.current.slice(equals + 1), lead, ...possible(option), values };
  }
  const rest = { begun: line.current, lead: "", values };
  if (line.awaits) return { ...rest, ...possible(line.awaits) };
  if (!line.literal && line.current.startsWith("-")) return { ...rest, offers: line.optionOffers() };
  const { command } = line;
  if (!command) return { ...rest, offers: nextWords(line.positionals, commands) };
  const place = line.positionals.length - command.name.split(" ").length;
  const { args = [] } = command;
  const last = args.at(-1);
  return { ...rest, ...possible(args[place] ?? (last?.many ? last : undefined)) };
}

/** bash makes three words of `--mode=quick`. */
function joined(words: readonly string[]): readonly string[] {
  return words.flatMap((word, index) => {
    const isOption = (one: string | undefined) => one?.startsWith("--") === true;
    if (word === "=" && isOption(words[index - 1])) return index === words.length - 1 ? [""] : [];
    return [word];
  });
}

function possible(spec: OptionSpec | ArgumentSpec | undefined): Pick<WordInQuestion, "offers" | "completes"> {
  const offers = (spec?.choices ?? []).map((text) => ({ text }));
  return { offers, completes: spec?.completes };
}

/** The words that names of commands go on with. */
function nextWords(before: readonly string[], commands: readonly CommandSpec[]): readonly Offer[] {
  const offers = new Map<string, Offer>();
  for (const { name, summary } of commands) {
    const words = name.split(" ");
    const text = words[before.length];
    if (text === undefined || !before.every((word, index) => words[index] === word)) continue;
    const isWhole = words.length === before.length + 1;
    if (!offers.has(text)) offers.set(text, isWhole ? { text, summary } : { text });
  }
  return [...offers.values()];
}

/** A command line up to its last word. */
class Line {
  readonly current: string;
  readonly positionals: string[] = [];
  readonly values: Record<string, string> = {};
  readonly command: CommandSpec | undefined;
  /** The option whose value is in question. */
  readonly awaits: OptionSpec | undefined;
  /** After `--` nothing is an option. */
  readonly literal: boolean;
  readonly #given = new Set<string>();
  readonly #commands: readonly CommandSpec[];

  constructor(words: readonly string[], commands: readonly CommandSpec[]) {
    this.#commands = commands;
    this.current = words.at(-1) ?? "";
    let awaits: string | undefined;
    let literal = false;
    for (const word of words.slice(0, -1)) {
      if (awaits !== undefined) {
        this.values[awaits] = word;
        awaits = undefined;
      } else if (literal || !/^-./.test(word)) this.positionals.push(word);
      else if (word === "--") literal = true;
      else awaits = this.#take(word);
    }
    this.literal = literal;
    this.awaits = awaits === undefined ? undefined : this.option(awaits);
    this.command = commands
      .filter(({ name }) => name.split(" ").every((word, index) => this.positionals[index] === word))
      .toSorted((a, b) => b.name.length - a.name.length)[0];
  }

  option(name: string): OptionSpec | undefined {
    return this.#options()[name];
  }

  optionOffers(): readonly Offer[] {
    const own: Readonly<Record<string, OptionSpec>> = this.command ? optionsOf(this.command) : GLOBAL_OPTIONS;
    return Object.entries(own)
      .filter(([name, { many }]) => many || !this.#given.has(name))
      .flatMap(([name, { short, summary }]) => [
        { text: `--${name}`, summary },
        ...(short ? [{ text: `-${short}`, summary }] : []),
      ]);
  }

  /** Remembers an option. Returns its name when its value is the next word. */
  #take(word: string): string | undefined {
    const [, long, value] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    const short = long === undefined ? word.slice(1, 2) : undefined;
    const fits = ([one, { short: letter }]: readonly [string, OptionSpec]) =>
      long === undefined ? letter === short : one === long;
    const [name, spec] = Object.entries(this.#options()).find(fits) ?? [];
    if (name === undefined) return undefined;
    this.#given.add(name);
    if (spec?.value === undefined) return undefined;
    const inside = value ?? (short && word.length > 2 ? word.slice(2) : undefined);
    if (inside === undefined) return name;
    this.values[name] = inside;
    return undefined;
  }

  /** Those of the command, before those of others: options may stand in front of the command. */
  #options(): Readonly<Record<string, OptionSpec>> {
    const all = Object.assign({}, ...this.#commands.map(optionsOf), GLOBAL_OPTIONS);
    return this.command ? { ...all, ...optionsOf(this.command) } : all;
  }
}
