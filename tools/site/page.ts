import { dirname, relative } from "node:path";
import { NAVIGATION } from "./navigation.ts";
import type { Rendered } from "./render.ts";

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --link: light-dark(#0b57d0, #8ab4f8); --code: #8881; }
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; display: grid; grid-template-columns: 17rem minmax(0, 1fr); }
nav { border-right: 1px solid var(--line); padding: 1.5rem; position: sticky; top: 0; height: 100vh; overflow: auto; font-size: .9rem; }
nav h2 { font-size: .8rem; text-transform: uppercase; letter-spacing: .05em; margin: 1.2rem 0 .3rem; opacity: .7; }
nav ul { list-style: none; margin: 0; padding: 0; }
nav a[aria-current] { font-weight: 600; color: inherit; }
main { padding: 2rem 3rem 4rem; max-width: 62rem; }
a { color: var(--link); text-decoration: none; }
a:hover { text-decoration: underline; }
pre, code { font: .88em/1.5 ui-monospace, monospace; background: var(--code); border-radius: 4px; }
code { padding: .1em .3em; }
pre { padding: 1rem; overflow: auto; }
pre code { padding: 0; background: none; }
table { border-collapse: collapse; display: block; overflow: auto; }
th, td { border: 1px solid var(--line); padding: .35rem .6rem; text-align: left; vertical-align: top; }
img { max-width: 100%; }
@media (max-width: 50rem) { body { display: block; } nav { position: static; height: auto; border: 0; } main { padding: 1rem; } }
`;

/** A whole page, with the way to all others at its side. Needs nothing but itself. */
export function page(at: string, { title, html }: Rendered, onSite: (path: string) => string): string {
  const menu = NAVIGATION.map(({ title: section, pages }) => {
    const items = pages.map((path) => item(at, onSite(path), nameOf(path)));
    return `<h2>${section}</h2>\n<ul>\n${items.join("\n")}\n</ul>`;
  });
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${title === "Holdfast" ? title : `${title} – Holdfast`}</title>
<style>${STYLE}</style>
</head>
<body>
<nav>
${menu.join("\n")}
</nav>
<main>
${html}</main>
</body>
</html>
`;
}

function item(at: string, target: string, name: string): string {
  if (at === target) return `<li><a aria-current="page" href="">${name}</a></li>`;
  return `<li><a href="${relative(dirname(at), target)}">${name}</a></li>`;
}

/** What the menu calls a page: its file's name in words. */
function nameOf(path: string): string {
  if (path === "README.md") return "Holdfast";
  const [file = ""] = path
    .replace(/\/README\.md$/, "")
    .split("/")
    .slice(-1);
  const words = file.replace(/\.md$/, "").replaceAll("-", " ").toLowerCase();
  return words === "cli" ? "Command line" : words.charAt(0).toUpperCase() + words.slice(1);
}
