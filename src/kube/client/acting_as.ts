import type { HttpRequest, HttpSender } from "../../lib/http.ts";

/** The same server, as another user: whoever the sender is must be allowed to act as them. */
export function actingAs(sender: HttpSender, user: string): HttpSender {
  const headers = (given: HttpRequest["headers"]) => ({ ...given, "impersonate-user": user });
  const connect = sender.connect?.bind(sender);
  return {
    send: (request) => sender.send({ ...request, headers: headers(request.headers) }),
    ...(connect ? { connect: (request) => connect({ ...request, headers: headers(request.headers) }) } : {}),
    close: () => sender.close(),
  };
}
