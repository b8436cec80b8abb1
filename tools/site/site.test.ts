import { globSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, test } from "vitest";
import { NAVIGATION } from "./navigation.ts";
import { siteOf } from "./site.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

/** A project with these files, and all that the menu names. */
function project(files: Readonly<Record<string, string>>): string {
  const root = mkdtempSync(join(tmpdir(), "site-"));
  folders.push(root);
  const named = NAVIGATION.flatMap(({ pages }) => pages.map((path) => [path, `# ${path}\n`] as const));
  for (const [path, text] of Object.entries({ ...Object.fromEntries(named), ...files })) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

function htmlAt(root: string, path: string): string {
  const file = siteOf(root).files.get(path);
  return file && "html" in file ? file.html : "";
}

/** Where the site has a page of the project's. */
function onSite(path: string): string {
  return path === "README.md"
    ? "index.html"
    : path.replace(/README\.md$/, "index.html").replace(/\.md$/, ".html");
}

describe("the documentation's own site", () => {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  const { files, broken } = siteOf(root);

  test("has no link that leads nowhere", () => {
    expect(broken).toEqual([]);
  });

  test("has every page of the menu", () => {
    const pages = NAVIGATION.flatMap((section) => section.pages);
    expect(pages.filter((path) => !files.has(onSite(path)))).toEqual([]);
  });

  test("has every page of the documentation, so that links lead to it from the first one", () => {
    const pages = globSync("docs/**/*.md", { cwd: root });
    expect(pages.length).toBeGreaterThan(50);
    expect(pages.filter((path) => !files.has(onSite(path)))).toEqual([]);
  });
});

test("links lead to the pages of the site, from wherever they are", () => {
  const root = project({
    "README.md":
      "# Holdfast\n\n[guide](docs/guides/cli.md#two), [list](examples), [out](https://example.org)",
    "docs/guides/cli.md": "# One\n\n## Two\n\n[back](../../README.md), [file](../../examples/a.yaml)",
    "examples/a.yaml": "kind: A\n",
  });
  expect(siteOf(root).broken).toEqual([]);
  expect(htmlAt(root, "index.html")).toContain('<a href="docs/guides/cli.html#two">guide</a>');
  expect(htmlAt(root, "index.html")).toContain('<a href="https://example.org">out</a>');
  expect(htmlAt(root, "docs/guides/cli.html")).toContain('<a href="../../index.html">back</a>');
  expect(htmlAt(root, "examples/index.html")).toContain('<a href="a.yaml">a.yaml</a>');
  expect(siteOf(root).files.get("examples/a.yaml")).toEqual({ copyOf: join(root, "examples/a.yaml") });
});

test("files and headings that are not there are told, by page", () => {
  const root = project({
    "README.md": "[a](nowhere.md) [b](docs/concepts.md#gone) [c](#here)\n\n## Here",
    "docs/concepts.md": "# There",
  });
  expect(siteOf(root).broken).toEqual(["README.md: nowhere.md", "README.md: docs/concepts.md#gone"]);
});

test("a page that nothing links to is not there", () => {
  expect([...siteOf(project({ "docs/alone.md": "# Alone" })).files.keys()]).not.toContain("docs/alone.html");
});

test("headings are linked to as on GitHub", () => {
  const root = project({
    "README.md":
      "# A\n\n## `kopia`, and *more*: why?\n\n## Same\n\n## Same\n\n[x](#kopia-and-more-why) [y](#same-1)",
  });
  expect(siteOf(root).broken).toEqual([]);
});

test("a page says where in the menu it is, and is called as its first heading", () => {
  const html = htmlAt(
    project({ "README.md": "[a](docs/sizing.md)", "docs/sizing.md": "# How much" }),
    "docs/sizing.html",
  );
  expect(html).toContain("<title>How much – Holdfast</title>");
  expect(html).toContain('<a aria-current="page" href="">Sizing</a>');
  expect(html).toContain('<a href="guides/cli.html">Command line</a>');
});
