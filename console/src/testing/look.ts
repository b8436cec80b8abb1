// Looks at every screen of a built page with made-up data: node console/src/testing/look.ts <page> <pictures> [path]
import { mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { chromium, type Page } from "playwright-core";
import { SCREENS } from "./screens.ts";
import { serveFixtures } from "./serve.ts";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const FORMS = [
  { name: "light", colorScheme: "light", viewport: { width: 1280, height: 800 } },
  { name: "dark", colorScheme: "dark", viewport: { width: 1280, height: 800 } },
  { name: "phone", colorScheme: "light", viewport: { width: 390, height: 844 } },
] as const;

interface AxeFinding {
  readonly id: string;
  readonly help: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/** What axe has against the page as it stands. */
async function axeFindings(page: Page): Promise<readonly AxeFinding[]> {
  await page.evaluate(AXE);
  const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];
  const run = `axe.run(document, { runOnly: { type: "tag", values: ${JSON.stringify(tags)} } })`;
  const { violations } = (await page.evaluate(run)) as { readonly violations: readonly AxeFinding[] };
  return violations;
}

const [folder = "console/dist", pictures = "/tmp/pictures", only] = process.argv.slice(2);
mkdirSync(pictures, { recursive: true });
const { address, close } = await serveFixtures(folder);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
let wrong = 0;
const complain = (text: string) => {
  wrong += 1;
  console.log(text);
};
for (const { name: form, ...look } of FORMS) {
  const context = await browser.newContext(look);
  const page = await context.newPage();
  page.on("console", (message) => {
    if (message.type() === "error" || message.type() === "warning") complain(`${form}: ${message.text()}`);
  });
  page.on("pageerror", (error) => complain(`${form}: ${error.message}`));
  for (const { name, path, prepare } of SCREENS) {
    if (only !== undefined && !name.includes(only)) continue;
    await page.goto(`${address}${path}`);
    await page.waitForSelector("h1");
    await page.waitForFunction(() => document.querySelector(".loading") === null);
    await prepare?.(page);
    await page.screenshot({ path: join(pictures, `${name}.${form}.png`), fullPage: form !== "phone" });
    for (const { id, help, nodes } of await axeFindings(page))
      complain(
        `${form} ${name}: ${id}: ${help}\n  ${nodes.map(({ html }) => html.slice(0, 160)).join("\n  ")}`,
      );
    const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    if (wide > 0) complain(`${form} ${name}: the page is ${wide} pixels wider than its window`);
  }
  await context.close();
}
await browser.close();
close();
console.log(wrong === 0 ? "Nothing found." : `${wrong} findings.`);
process.exitCode = wrong === 0 ? 0 : 1;
