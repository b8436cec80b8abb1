import type { Call, CommandSpec } from "../frame/command.ts";
import { EXIT, type ExitCode } from "../frame/exit_codes.ts";
import { optionsOf } from "../frame/parse.ts";

/** Prints the completion script of a shell. */
export async function completion(
  { given, out }: Pick<Call, "given" | "out">,
  commands: readonly CommandSpec[],
): Promise<ExitCode> {
  const scripts: Readonly<Record<string, (commands: readonly CommandSpec[]) => string>> = {
    bash: bashScript,
    zsh: zshScript,
    fish: fishScript,
  };
  out(scripts[given.word(0)]?.(commands) ?? "");
  return EXIT.done;
}

/** What may follow each beginning of a command line: from `""` (the first words) on. */
export function continuations(commands: readonly CommandSpec[]): ReadonlyMap<string, readonly string[]> {
  const all = new Map<string, string[]>();
  const add = (before: string, words: readonly string[]) => {
    const known = all.get(before) ?? [];
    all.set(before, [...known, ...words.filter((word) => !known.includes(word))]);
  };
  for (const command of commands) {
    const words = command.name.split(" ");
    for (const [index, word] of words.entries()) add(words.slice(0, index).join(" "), [word]);
    add(command.name, [
      ...(command.args?.[0]?.choices ?? []),
      ...Object.entries(optionsOf(command)).flatMap(([name, { short }]) => [
        `--${name}`,
        ...(short ? [`-${short}`] : []),
      ]),
    ]);
  }
  return all;
}

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

function bashScript(commands: readonly CommandSpec[]): string {
  const cases = [...continuations(commands)].map(
    ([before, words]) => `    ${quoted(before)}) words=${quoted(words.join(" "))} ;;`,
  );
  return `_holdfast() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="" next words="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    next="\${before:+$before }$word"
    case "$next" in
${[...continuations(commands).keys()]
  .filter(Boolean)
  .map((name) => `      ${quoted(name)}) before="$next" ;;`)
  .join("\n")}
    esac
  done
  case "$before" in
${cases.join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$current"))
}
complete -o default -F _holdfast holdfast kubectl-holdfast`;
}

function zshScript(commands: readonly CommandSpec[]): string {
  return `#compdef holdfast kubectl-holdfast
autoload -U +X bashcompinit && bashcompinit
${bashScript(commands)}`;
}

function fishScript(commands: readonly CommandSpec[]): string {
  const lines = commands.flatMap((command) => {
    const words = command.name.split(" ");
    const last = words.at(-1) ?? "";
    const before =
      words.length === 1
        ? "__fish_use_subcommand"
        : `__fish_seen_subcommand_from ${words[0]}; and not __fish_seen_subcommand_from ${last}`;
    const within = words.map((word) => `__fish_seen_subcommand_from ${word}`).join("; and ");
    const options = Object.entries(optionsOf(command)).map(([name, { short, summary, value, choices }]) =>
      [
        `complete -c holdfast -n ${quoted(within)} -l ${name}`,
        ...(short ? [`-s ${short}`] : []),
        ...(value ? ["-r"] : []),
        ...(choices ? [`-a ${quoted(choices.join(" "))}`] : []),
        `-d ${quoted(summary)}`,
      ].join(" "),
    );
    const choices = command.args?.[0]?.choices;
    return [
      `complete -c holdfast -f -n ${quoted(before)} -a ${last} -d ${quoted(command.summary)}`,
      ...(choices ? [`complete -c holdfast -f -n ${quoted(within)} -a ${quoted(choices.join(" "))}`] : []),
      ...options,
    ];
  });
  const groups = [
    ...new Set(commands.flatMap(({ name }) => (name.includes(" ") ? [name.split(" ")[0]] : []))),
  ];
  return [
    ...groups.map((group) => `complete -c holdfast -f -n __fish_use_subcommand -a ${group}`),
    ...lines,
  ].join("\n");
}
