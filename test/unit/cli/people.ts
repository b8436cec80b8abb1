import { accessesOf } from "../../../src/kube/client/request_access.ts";
import type { HttpRequest, HttpResponse, HttpSender } from "../../../src/lib/http.ts";

/** Somebody who may do everything in some namespaces, and nothing elsewhere. `expired`: who is no longer known. */
export function within(
  user: string,
  namespaces: readonly string[],
  expired: ReadonlySet<string> = new Set(),
) {
  const mayIn = (namespace: string | undefined) => namespace !== undefined && namespaces.includes(namespace);
  return (sender: HttpSender): HttpSender => ({
    close() {},
    send: async (request) => {
      if (expired.has(user)) return answered(401, { reason: "Unauthorized", message: "Unauthorized" });
      if (request.path.includes("/selfsubjectreviews"))
        return answered(201, { kind: "SelfSubjectReview", status: { userInfo: { username: user } } });
      if (request.path.includes("/selfsubjectaccessreviews"))
        return answered(201, { status: { allowed: mayIn(askedNamespace(request)) } });
      const missing = accessesOf(request).find((access) => !mayIn(access.namespace));
      if (missing) return answered(403, { reason: "Forbidden", message: `${user} may not ${missing.verb}` });
      return sender.send(request);
    },
  });
}

function askedNamespace({ body }: HttpRequest): string | undefined {
  const { spec } = JSON.parse(String(body)) as {
    readonly spec?: { readonly resourceAttributes?: { readonly namespace?: string } };
  };
  return spec?.resourceAttributes?.namespace;
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
