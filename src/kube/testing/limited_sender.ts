import { HttpFailure, type HttpRequest, type HttpResponse, type HttpSender } from "../../lib/http.ts";
import { type Access, accessesOf, accessName } from "../client/request_access.ts";
import type { GrantedRules, PolicyRule } from "../policy_rules.ts";

export interface LimitedSenderOptions {
  readonly rules: GrantedRules;
  /** Where the rules of `home` hold. */
  readonly home: string;
}

/** A connection for tests that lets through what a program's Roles allow, refuses the rest as the API server would, and remembers it. */
export class LimitedSender implements HttpSender {
  /** What was refused, each once. */
  readonly refused = new Set<string>();
  /** What was asked for and granted, each once: `list pods`. */
  readonly used = new Set<string>();
  /** What is refused although a rule grants it, by the same names: a test may change its mind. */
  readonly withheld = new Set<string>();
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
    const accesses = accessesOf(request);
    const missing = accesses.find((access) => !this.#allows(access));
    if (!missing) {
      for (const access of accesses) this.used.add(accessName(access));
      return undefined;
    }
    const { verb, group, resource, namespace } = missing;
    const kind = group ? `${resource} in group ${group}` : resource;
    this.refused.add(`cannot ${verb} ${kind}${namespace ? "" : " without a namespace"}`);
    const where = namespace === undefined ? "at the cluster scope" : `in the namespace "${namespace}"`;
    return `${resource} is forbidden: User "operator" cannot ${verb} resource "${resource}" in API group "${group}" ${where}`;
  }

  #allows(access: Access): boolean {
    if (this.withheld.has(accessName(access))) return false;
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
