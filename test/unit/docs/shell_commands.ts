/** The words of one simple command, without quotes. What a shell would put in stands there as it is written. */
export type ShellCommand = readonly string[];

/**
 * The simple commands of a script, in their order: those on both sides of a pipe, and those whose output another
 * takes (`$(…)`), too. Knows as much of the shell's grammar as documentation should need, and throws on quotes that
 * are not closed.
 */
export function shellCommands(script: string): readonly ShellCommand[] {
  const found: ShellCommand[] = [];
  let words: string[] = [];
  let word: string | undefined;
  const endWord = () => {
    if (word !== undefined) words.push(word);
    word = undefined;
  };
  const endCommand = () => {
    endWord();
    const first = words.findIndex((one) => !/^\w+=/.test(one));
    if (first >= 0) found.push(words.slice(first));
    words = [];
  };
  const text = script.replaceAll("\\\n", " ");
  for (let at = 0; at < text.length; at++) {
    const sign = text.charAt(at);
    if (sign === "'" || sign === '"') {
      const end = closing(text, at);
      const quoted = text.slice(at + 1, end);
      if (sign === '"') found.push(...inner(quoted));
      word = (word ?? "") + quoted;
      at = end;
    } else if (text.startsWith("$(", at)) {
      const end = matching(text, at + 1);
      found.push(...shellCommands(text.slice(at + 2, end)));
      word = (word ?? "") + text.slice(at, end + 1);
      at = end;
    } else if (sign === "#" && word === undefined) {
      at = text.indexOf("\n", at) - 1;
      if (at < 0) break;
    } else if ("\n|;&".includes(sign)) endCommand();
    else if (/\s/.test(sign)) endWord();
    else word = (word ?? "") + sign;
  }
  endCommand();
  return found;
}

/** Where the quote ends that begins here. */
function closing(text: string, start: number): number {
  const quote = text.charAt(start);
  for (let at = start + 1; at < text.length; at++) {
    if (quote === '"' && text.startsWith("$(", at)) at = matching(text, at + 1);
    else if (text.charAt(at) === quote) return at;
  }
  throw new Error(`a quote is not closed: ${text.slice(start)}`);
}

/** Where the bracket ends that begins here. */
function matching(text: string, start: number): number {
  for (let at = start + 1, depth = 1; at < text.length; at++) {
    const sign = text.charAt(at);
    if (sign === "'" || sign === '"') at = closing(text, at);
    else if (sign === "(") depth++;
    else if (sign === ")" && --depth === 0) return at;
  }
  throw new Error(`a bracket is not closed: ${text.slice(start)}`);
}

/** The commands whose output stands in double quotes. */
function inner(quoted: string): readonly ShellCommand[] {
  const at = quoted.indexOf("$(");
  if (at < 0) return [];
  const end = matching(quoted, at + 1);
  return [...shellCommands(quoted.slice(at + 2, end)), ...inner(quoted.slice(end + 1))];
}
