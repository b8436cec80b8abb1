/** The parts of the full matrix, in their order. */
export const PARTS = /** @type {const} */ ([
  "unit",
  "mutations",
  "machine",
  "engines",
  "images",
  "versions",
  "cluster",
  "helm",
]);

/** @typedef {typeof PARTS[number]} Part */

/** @type {readonly (readonly [folder: string, parts: readonly Part[]])[]} */
const FOLDERS = [
  ["src", ["unit", "machine", "engines"]],
  ["tools", ["unit"]],
  ["test/unit", ["unit", "machine"]],
  ["test/machine", ["machine"]],
  ["test/engines", ["engines"]],
  ["test/images", ["images"]],
  ["test/versions", ["versions"]],
  ["test/cluster", ["cluster"]],
];
/** Where a file may be whose folder is not told. What takes minutes to prepare is asked for. */
const ANYWHERE = PARTS.filter((part) => !["mutations", "images", "versions", "helm"].includes(part));

/**
 * What of the matrix the arguments of `test:long` ask for: a part and files of it, or files alone, which say by their
 * folder what they are part of; then options of vitest.
 *
 * @param {readonly string[]} args
 * @returns {{ readonly parts: readonly Part[], readonly args: readonly string[] }} the arguments are those for vitest
 */
export function chosen(args) {
  if (args.length === 0) return { parts: PARTS, args };
  const named = PARTS.find((part) => part === args[0]);
  if (named) return { parts: [named], args: args.slice(1) };
  const end = args.findIndex((arg) => arg.startsWith("-"));
  const files = end < 0 ? args : args.slice(0, end);
  const parts = new Set(files.length === 0 ? ANYWHERE : files.flatMap(partsOf));
  return { parts: PARTS.filter((part) => parts.has(part)), args };
}

/** @param {string} file */
function partsOf(file) {
  const home = FOLDERS.find(([folder]) => file === folder || file.startsWith(`${folder}/`));
  return home?.[1] ?? ANYWHERE;
}
