import { HttpFailure, type HttpRequest, type HttpResponse, type HttpSender } from "../../lib/http.ts";
import type { GrantedRules, PolicyRule } from "../policy_rules.ts";

export interface LimitedSenderOptions {
  readonly rules: GrantedRules;
  /** Where the rules of `home` hold. */
  readonly home: string;
}

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

/** A connection for tests that lets through what a program's Roles allow, refuses the rest as the API server would, and remembers it. */
export class LimitedSender implements HttpSender {
  /** What was refused, each once. */
  readonly refused = new Set<string>();
  readonly connect: NonNullable<HttpSender["connect"]>;
  readonly #sender: HttpSender;
  readonly #options: LimitedSenderOptions;

  constructor(sender: HttpSender, options: LimitedSenderOptions) {
    this.#sender = sender;
    this.#options = options;
    this.connect = async (request) => {
      const refusal = this.#refusal({ method: "GET", path: request.path });
      if (refusal || !sender.connect)
        throw new HttpFailure(`403 ${refusal}`, { code: "EREFUSED", sent: true });
      return sender.connect(request);
    };
  }

  async send(request: HttpRequest): Promise<HttpResponse> {
    const refusal = this.#refusal(request);
    if (refusal === undefined) return this.#sender.send(request);
    const status = { kind: "Status", status: "Failure", reason: "Forbidden", code: 403, message: refusal };
    const body = (async function* () {
      yield Buffer.from(JSON.stringify(status));
    })();
    return { status: 403, headers: { "content-type": "application/json" }, body };
  }

  close(): void {
    this.#sender.close();
  }

  #refusal(request: HttpRequest): string | undefined {
    const missing = accessesOf(request).find((access) => !this.#allows(access));
    if (!missing) return undefined;
    const { verb, group, resource, namespace, name } = missing;
    const kind = group ? `${resource} in group ${group}` : resource;
    const text = `cannot ${verb} ${kind}${namespace ? "" : " without a namespace"}`;
    this.refused.add(text);
    return `${text}: ${namespace ?? ""}/${name ?? ""}`;
  }

  #allows(access: Access): boolean {
    const { rules, home } = this.#options;
    const here = access.namespace === home ? rules.home : [];
    return [...rules.cluster, ...here].some((rule) => grants(rule, access));
  }
}

function grants(rule: PolicyRule, { verb, group, resource, name }: Access): boolean {
  return (
    rule.apiGroups.includes(group) &&
    rule.resources.includes(resource) &&
    (rule.verbs as readonly string[]).includes(verb) &&
    (rule.resourceNames === undefined || (name !== undefined && rule.resourceNames.includes(name)))
  );
}

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
