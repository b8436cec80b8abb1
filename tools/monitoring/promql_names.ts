/** A metric that an expression reads, with the labels that it is asked for by. */
export interface Selector {
  readonly metric: string;
  /** What is asked of each label, as it is written: `=~"a|b"`. */
  readonly matchers: Readonly<Record<string, string>>;
}

/** What an expression reads and groups by. It has to be valid: this is no parser, but a finder of names. */
export interface PromqlNames {
  readonly selectors: readonly Selector[];
  /** Labels after `by` and `on`. */
  readonly grouping: readonly string[];
}

const WORDS = /\b(?:and|or|unless|bool|by|on|without|ignoring|group_left|group_right|offset)\b/;
const GROUPING = /\b(?:by|on|without|ignoring|group_left|group_right)\s*\(([^()]*)\)/g;
const SELECTOR = /(?<![\w$])([a-zA-Z_:][\w:]*)\s*(\{[^{}]*\})?(?!\s*\()(?![\w:])/g;

export function promqlNames(expr: string): PromqlNames {
  const grouping = [...expr.matchAll(GROUPING)].flatMap(([, names = ""]) => names.match(/\w+/g) ?? []);
  const rest = expr.replaceAll(GROUPING, " ").replaceAll(/\[[^\]]*\]|,\s*"[^"]*"/g, " ");
  const selectors = [...rest.matchAll(SELECTOR)].flatMap(([, metric = "", braces = ""]) => {
    if (new RegExp(`^${WORDS.source}$`).test(metric)) return [];
    const matchers = [...braces.matchAll(/(\w+)\s*((?:=~|!~|!=|=)\s*"[^"]*")/g)];
    return [{ metric, matchers: Object.fromEntries(matchers.map(([, label, text]) => [label, text])) }];
  });
  return { selectors, grouping: [...new Set(grouping)] };
}
