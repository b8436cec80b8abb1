import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, posix, relative } from "node:path";
import { page } from "./page.ts";
import { type Rendered, render } from "./render.ts";

/** What the site consists of: text by its path, or the project's file to copy. */
export type SiteFile = { readonly html: string } | { readonly copyOf: string };

export interface Site {
  readonly files: ReadonlyMap<string, SiteFile>;
  /** Links that lead nowhere, as `page: link`. */
  readonly broken: readonly string[];
}

const FIRST = "README.md";
const ELSEWHERE = /^[a-z][a-z+.-]*:/;

/** The site of everything that can be reached from the README: pages, the files that they link to, lists of folders. */
export function siteOf(root: string): Site {
  const files = new Map<string, SiteFile>();
  const broken: string[] = [];
  const pages = new Map<string, Rendered>();
  const waiting = [FIRST];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (pages.has(path) || files.has(path)) continue;
    const absolute = join(root, path);
    if (!statSync(absolute).isDirectory() && !path.endsWith(".md")) {
      files.set(path, { copyOf: absolute });
      continue;
    }
    const rendered = render(textOf(absolute, path), (link) => onSite(root, path, link));
    pages.set(path, rendered);
    for (const link of rendered.links) {
      const target = targetOf(path, link);
      if (target === undefined || target === path) continue;
      if (existsSync(join(root, target))) waiting.push(target);
      else broken.push(`${path}: ${link}`);
    }
  }
  for (const [path, { links }] of pages) {
    for (const link of links) {
      const [, anchor] = link.split("#");
      const target = anchor ? pages.get(targetOf(path, link) ?? "") : undefined;
      if (target && anchor && !target.anchors.has(anchor)) broken.push(`${path}: ${link}`);
    }
  }
  for (const [path, rendered] of pages) {
    files.set(pathOnSite(root, path), {
      html: page(pathOnSite(root, path), rendered, (at) => pathOnSite(root, at)),
    });
  }
  return { files, broken };
}

/** A folder is the list of what is in it, below its own README, if it has one. */
function textOf(absolute: string, path: string): string {
  if (!statSync(absolute).isDirectory()) return readFileSync(absolute, "utf8");
  const names = readdirSync(absolute).toSorted();
  const list = names.map((name) => `- [${name}](${name})`).join("\n");
  const readme = names.includes("README.md") ? readFileSync(join(absolute, "README.md"), "utf8") : "";
  return `${readme || `# ${path}`}\n\n${list}\n`;
}

/** The project's path that a link of this page leads to; undefined where it leads out of the project. */
function targetOf(path: string, link: string): string | undefined {
  if (ELSEWHERE.test(link)) return undefined;
  const [file = ""] = link.split("#");
  if (file === "") return path;
  const folder = path.endsWith(".md") ? posix.dirname(path) : path;
  return posix.normalize(posix.join(folder, decodeURI(file))).replace(/\/$/, "");
}

function onSite(root: string, path: string, link: string): string {
  const target = targetOf(path, link);
  if (target === undefined || !existsSync(join(root, target))) return link;
  const [, anchor] = link.split("#");
  const from = dirname(pathOnSite(root, path));
  return (relative(from, pathOnSite(root, target)) || ".") + (anchor ? `#${anchor}` : "");
}

function pathOnSite(root: string, path: string): string {
  if (path === FIRST) return "index.html";
  if (statSync(join(root, path)).isDirectory()) return `${path}/index.html`;
  return path.replace(/README\.md$/, "index.html").replace(/\.md$/, ".html");
}
