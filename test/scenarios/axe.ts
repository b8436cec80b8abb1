import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

interface Finding {
  readonly id: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** What stands on a page against WCAG AA, as far as a program can tell. */
export async function axeFindings(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const run = `axe.run(document, { runOnly: { type: "tag", values: ${JSON.stringify(TAGS)} } })`;
  const { violations } = (await page.evaluate(run)) as { readonly violations: readonly Finding[] };
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" ")}`);
}
