const KEYWORDS: ReadonlySet<string> = new Set(
  "true false null in as break const continue else for function if import let loop package namespace return var void while".split(
    " ",
  ),
);

/**
 * A property's name as CEL rules must write it: `self.${celName("namespace")}`. Undefined for a name that
 * rules cannot reach.
 */
export function celName(property: string): string | undefined {
  if (KEYWORDS.has(property)) return `__${property}__`;
  if (!/^[a-zA-Z_][a-zA-Z0-9_./-]*$/.test(property)) return undefined;
  return property.replaceAll(/__|[./-]/g, (part) => ESCAPES[part] ?? part);
}

const ESCAPES: Readonly<Record<string, string>> = {
  __: "__underscores__",
  ".": "__dot__",
  "/": "__slash__",
  "-": "__dash__",
};
