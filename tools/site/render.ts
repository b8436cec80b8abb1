import { Marked, type Tokens } from "marked";

export interface Rendered {
  readonly title: string;
  readonly html: string;
  /** What can be linked to within the page. */
  readonly anchors: ReadonlySet<string>;
  /** What the page links to, as written. */
  readonly links: readonly string[];
}

/** Turns a page's Markdown into HTML; `link` says what each of its links is called on the site. */
export function render(markdown: string, link: (target: string) => string): Rendered {
  const anchors = new Set<string>();
  const links: string[] = [];
  let title = "";
  const found = (target: string) => {
    links.push(target);
    return link(target);
  };
  const marked = new Marked({
    walkTokens(token) {
      if (token.type === "link" || token.type === "image") token.href = found(token.href);
    },
    renderer: {
      heading({ tokens, depth, text }: Tokens.Heading) {
        if (depth === 1 && title === "") title = plain(text);
        const anchor = unused(anchors, slug(text));
        anchors.add(anchor);
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
    },
  });
  return { html: marked.parse(markdown, { async: false }), title, anchors, links };
}

/** As GitHub makes them, so that the same links work in both places. */
function slug(heading: string): string {
  return plain(heading)
    .toLowerCase()
    .replace(/[^\p{Letter}\p{Number}\s_-]/gu, "")
    .replaceAll(" ", "-");
}

function unused(anchors: ReadonlySet<string>, anchor: string): string {
  if (!anchors.has(anchor)) return anchor;
  for (let n = 1; ; n++) if (!anchors.has(`${anchor}-${n}`)) return `${anchor}-${n}`;
}

/** A heading without its Markdown. */
function plain(text: string): string {
  return text.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1").replace(/[`*]/g, "");
}
