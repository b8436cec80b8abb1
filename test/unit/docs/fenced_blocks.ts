/** A block between ``` and ```. */
export interface FencedBlock {
  /** What stands behind the first ```; empty where nothing does. */
  readonly language: string;
  readonly text: string;
  /** Where it begins, counted from 1. */
  readonly line: number;
}

const BLOCK = /^( *)```([^\n`]*)\n(.*?)^\1```$/gms;

/** The fenced blocks of a page, in their order. */
export function fencedBlocks(page: string): readonly FencedBlock[] {
  return [...page.matchAll(BLOCK)].map(({ 2: language = "", 3: text = "", index }) => ({
    language: language.trim(),
    text,
    line: page.slice(0, index).split("\n").length,
  }));
}

/** The text around the blocks. */
export function withoutBlocks(page: string): string {
  return page.replaceAll(BLOCK, "");
}

/** What stands between single backticks in the text around the blocks. */
export function inlineCode(page: string): readonly string[] {
  const text = withoutBlocks(page).replaceAll("\\|", "|");
  return [...text.matchAll(/`([^`\n]+)`/g)].map(([, code = ""]) => code);
}
