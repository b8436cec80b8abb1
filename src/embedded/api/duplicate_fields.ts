/** A string, a structural character, or any other run of a JSON text. */
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s"{}[\],:]+/gs;

interface Level {
  /** Undefined in a list. */
  readonly names: Set<string> | undefined;
  readonly path: string;
  key: string;
  index: number;
}

/** The paths of the fields that a JSON text, which must be well-formed, names more than once in one object. */
export function duplicateFields(text: string): readonly string[] {
  const found: string[] = [];
  const levels: Level[] = [];
  let awaitsName = false;
  for (const [token] of text.matchAll(TOKEN)) {
    const level = levels.at(-1);
    if (token === "{" || token === "[") {
      const path = level ? pathIn(level) : "";
      levels.push({ names: token === "{" ? new Set() : undefined, path, key: "", index: 0 });
      awaitsName = token === "{";
    } else if (token === "}" || token === "]") {
      levels.pop();
      awaitsName = false;
    } else if (token === ",") {
      awaitsName = level?.names !== undefined;
      if (level) level.index++;
    } else if (awaitsName && level?.names && token !== ":") {
      awaitsName = false;
      level.key = JSON.parse(token) as string;
      if (level.names.has(level.key)) found.push(pathIn(level));
      level.names.add(level.key);
    }
  }
  return found;
}

function pathIn({ names, path, key, index }: Level): string {
  if (!names) return `${path}[${index}]`;
  return path === "" ? key : `${path}.${key}`;
}
