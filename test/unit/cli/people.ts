import { type Access, accessesOf } from "../../../src/kube/client/request_access.ts";
import type { HttpRequest, HttpResponse, HttpSender } from "../../../src/lib/http.ts";

/** What whoever only looks may do. */
export const LOOKS: readonly string[] = ["get", "list", "watch"];

type Asked = Pick<Access, "verb" | "namespace">;

/**
 * Somebody who may do everything, or as much as `verbs`, in some namespaces, and nothing elsewhere. `expired`: who is no
 * longer known.
 */
export function within(
  user: string,
  namespaces: readonly string[],
  expired: ReadonlySet<string> = new Set(),
  verbs?: readonly string[],
) {
  const may = ({ namespace, verb }: Asked) =>
    namespace !== undefined && namespaces.includes(namespace) && (verbs?.includes(verb) ?? true);
  return (sender: HttpSender): HttpSender => ({
    close() {},
    send: async (request) => {
      if (expired.has(user)) return answered(401, { reason: "Unauthorized", message: "Unauthorized" });
      if (request.path.includes("/selfsubjectreviews"))
        return answered(201, { kind: "SelfSubjectReview", status: { userInfo: { username: user } } });
      if (request.path.includes("/selfsubjectaccessreviews"))
        return answered(201, { status: { allowed: may(askedIn(request)) } });
      const missing = accessesOf(request).find((access) => !may(access));
      if (missing) return answered(403, { reason: "Forbidden", message: `${user} may not ${missing.verb}` });
      return sender.send(request);
    },
  });
}

function askedIn({ body }: HttpRequest): Asked {
  return (JSON.parse(String(body)) as { readonly spec: { readonly resourceAttributes: Asked } }).spec
    .resourceAttributes;
}

/** An answer of an API server. */
export function answered(status: number, said: object): HttpResponse {
  const value = status < 300 ? said : { kind: "Status", status: "Failure", code: status, ...said };
  return {
    status,
    headers: { "content-type": "application/json" },
    body: (async function* () {
      yield Buffer.from(JSON.stringify(value));
    })(),
  };
}
