/** One import of a source file: static, of types alone, dynamic, or an `export … from`. */
export interface Import {
  readonly specifier: string;
  /** Gone at run time. */
  readonly typeOnly: boolean;
}

type Token = { readonly kind: "word" | "string" | "other"; readonly text: string };

/** The source holds something that this reader cannot follow, such as `import()` of a computed path. */
export class UnreadableImports extends Error {
  override name = "UnreadableImports";
}

/**
 * Reads the imports of a TypeScript source, without a compiler: TypeScript 7 offers no parser to programs, and
 * bundlers drop the imports of types. Comments, strings, templates and regular expressions are stepped over.
 */
export function importsOf(source: string): readonly Import[] {
  const tokens = tokenize(source);
  const imports: Import[] = [];
  for (const [i, token] of tokens.entries()) {
    if (token.kind !== "word" || tokens[i - 1]?.text === ".") continue;
    if (token.text === "import" || token.text === "export") {
      const found = declaration(tokens, i);
      if (found) imports.push(found);
    }
    if (token.text === "require" && tokens[i + 1]?.text === "(") imports.push(call(tokens, i));
  }
  return imports;
}

function declaration(tokens: readonly Token[], start: number): Import | undefined {
  const isImport = tokens[start]?.text === "import";
  const next = tokens[start + 1];
  if (isImport && next?.text === "(") return call(tokens, start);
  if (isImport && next?.kind === "string") return { specifier: next.text, typeOnly: false };
  const typeOnly = next?.text === "type" && tokens[start + 2]?.text !== "from";
  for (let i = start + 1; i < tokens.length; i++) {
    const token = tokens[i];
    const after = tokens[i + 1];
    if (token?.kind === "word" && token.text === "from" && after?.kind === "string") {
      return { specifier: after.text, typeOnly };
    }
    const inClause =
      token?.kind === "word" || token?.kind === "string" || "{},*".includes(token?.text ?? ";");
    if (!inClause || isStatement(token)) return undefined;
  }
  return undefined;
}

/** What cannot stand between `export` and `from`: this was the export of a declaration. */
function isStatement(token: Token | undefined): boolean {
  return /^(const|let|var|function|class|interface|enum|async|abstract|declare|import|export)$/.test(
    token?.text ?? "",
  );
}

function call(tokens: readonly Token[], start: number): Import {
  const argument = tokens[start + 2];
  const after = tokens[start + 3]?.text;
  if (argument?.kind !== "string" || (after !== ")" && after !== ",")) {
    throw new UnreadableImports(`${tokens[start]?.text}() takes something other than a plain string`);
  }
  return { specifier: argument.text, typeOnly: false };
}

const WORD = /[\p{ID_Start}$_#][\p{ID_Continue}$\u200c\u200d]*/uy;
const NUMBER = /[0-9][\w.]*/y;
const REGEX = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/[a-z]*/y;
/** Words after which a slash begins a regular expression, as it does after most punctuation. */
const BEFORE_REGEX = /^(return|typeof|case|in|of|do|else|void|delete|throw|new|await|yield|instanceof)$/;

function tokenize(source: string): readonly Token[] {
  const tokens: Token[] = [];
  /** The depth of braces at which each open template goes on. */
  const templates: number[] = [];
  let depth = 0;
  let at = 0;
  const push = (kind: Token["kind"], text: string, length = text.length) => {
    tokens.push({ kind, text });
    at += length;
  };
  const match = (pattern: RegExp) => {
    pattern.lastIndex = at;
    return pattern.exec(source)?.[0];
  };
  const template = (start: number) => {
    const end = templateEnd(source, start);
    const closed = source[end] === "`";
    if (!closed) templates.push(depth);
    const plain = closed && source[start - 1] === "`";
    tokens.push({ kind: plain ? "string" : "other", text: plain ? source.slice(start, end) : "`" });
    at = end + (closed ? 1 : 2);
  };

  while (at < source.length) {
    const char = source[at] ?? "";
    const two = source.slice(at, at + 2);
    if (/\s/.test(char)) at++;
    else if (two === "//" || two === "#!") at = endOf(source, "\n", at);
    else if (two === "/*") at = endOf(source, "*/", at + 2);
    else if (char === '"' || char === "'") {
      const end = stringEnd(source, at);
      push("string", source.slice(at + 1, end), end + 1 - at);
    } else if (char === "`") template(at + 1);
    else if (char === "}" && templates.at(-1) === depth) {
      templates.pop();
      template(at + 1);
    } else {
      const regex = char === "/" && regexMayFollow(tokens.at(-1)) ? match(REGEX) : undefined;
      const word = match(WORD);
      if (regex !== undefined) push("other", "/", regex.length);
      else if (word !== undefined) push("word", word);
      else push("other", match(NUMBER) ?? char);
      if (char === "{") depth++;
      if (char === "}") depth--;
    }
  }
  return tokens;
}

function regexMayFollow(previous: Token | undefined): boolean {
  if (previous === undefined) return true;
  if (previous.kind === "word") return BEFORE_REGEX.test(previous.text);
  return previous.kind === "other" && !/^([)\]}/`]|[0-9].*)$/.test(previous.text);
}

function stringEnd(source: string, start: number): number {
  for (let i = start + 1; i < source.length && source[i] !== "\n"; i++) {
    if (source[i] === "\\") i++;
    else if (source[i] === source[start]) return i;
  }
  throw new UnreadableImports(`a string that does not end: ${source.slice(start, start + 40)}`);
}

/** Where a template's text stops: at its closing backtick, or at `${`. */
function templateEnd(source: string, start: number): number {
  for (let i = start; i < source.length; i++) {
    if (source[i] === "\\") i++;
    else if (source[i] === "`" || source.startsWith("${", i)) return i;
  }
  throw new UnreadableImports(`a template that does not end: ${source.slice(start, start + 40)}`);
}

/** The place behind the next `mark`, or behind everything. */
function endOf(source: string, mark: string, from: number): number {
  const found = source.indexOf(mark, from);
  return found < 0 ? source.length : found + mark.length;
}
