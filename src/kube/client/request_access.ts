import type { HttpRequest } from "../../lib/http.ts";

/** What a request asks for, in the words of an API server's authorizer. */
export interface Access {
  readonly verb: string;
  readonly group: string;
  /** With a subresource: `pods/log`. */
  readonly resource: string;
  readonly namespace?: string;
  readonly name?: string;
}

const VERBS = { POST: "create", PUT: "update", PATCH: "patch" } as const;

/** All that a request needs; nothing for what everybody may ask, such as which kinds there are. */
export function accessesOf(request: Pick<HttpRequest, "method" | "path" | "headers">): readonly Access[] {
  const { pathname, searchParams: query } = new URL(request.path, "http://server");
  const [root, ...parts] = pathname.slice(1).split("/").map(decodeURIComponent);
  const group = root === "api" ? "" : (parts.shift() ?? "");
  const [, ...rest] = parts;
  if (rest.length === 0) return [];
  // A namespace's own path has it in both places.
  const [first, namespace, ...inside] = rest;
  const within = first === "namespaces" && namespace !== undefined;
  const [resource = "", name, subresource] = within && inside.length > 0 ? inside : rest;
  const selected = /(?:^|,)metadata\.name=([^,]+)/.exec(query.get("fieldSelector") ?? "")?.[1];
  const access = {
    group,
    resource: subresource === undefined ? resource : `${resource}/${subresource}`,
    ...(within ? { namespace } : {}),
    ...((name ?? selected) === undefined ? {} : { name: name ?? selected }),
  } as Omit<Access, "verb">;
  const verb = verbOf(request.method, name !== undefined, query.get("watch") === "true");
  const applies = request.headers?.["content-type"]?.includes("apply-patch") ?? false;
  return [{ ...access, verb }, ...(applies ? [{ ...access, verb: "create" }] : [])];
}

function verbOf(method: HttpRequest["method"], named: boolean, watch: boolean): string {
  if (method === "GET") return watch ? "watch" : named ? "get" : "list";
  if (method === "DELETE") return named ? "delete" : "deletecollection";
  return VERBS[method];
}

/** `list pods`, `patch jobs.batch/status`: what is asked for, for people. */
export function accessName({ verb, group, resource }: Pick<Access, "verb" | "group" | "resource">): string {
  const [plural = "", subresource] = resource.split("/");
  return `${verb} ${plural}${group ? `.${group}` : ""}${subresource ? `/${subresource}` : ""}`;
}
