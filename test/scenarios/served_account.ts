import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openAccess } from "../../src/embedded/access.ts";
import type { ControlPlane } from "../../src/embedded/control_plane.ts";
import { serveHttps } from "../../src/embedded/https_front.ts";
import { HttpClient } from "../../src/kube/client/http_client.ts";
import { AuthorizedSender } from "../../src/kube/config/authorized_sender.ts";
import { fixedCredentials } from "../../src/kube/config/credentials.ts";
import { LimitedSender } from "../../src/kube/testing/limited_sender.ts";
import { systemClock as clock } from "../../src/lib/clock.ts";
import type { HttpRequest } from "../../src/lib/http.ts";
import { HttpsSender } from "../../src/lib/https_sender.ts";
import { listen, type ServeRequest } from "../../src/lib/https_server.ts";
import { systemRandom as random } from "../../src/lib/random.ts";
import type { Account, AccountRights } from "./account.ts";

/**
 * An account of an embedded control plane, which knows one user alone: a door of its own, with a token of its own, that
 * lets through what the rights allow.
 */
export async function servedAccount(
  plane: Pick<ControlPlane, "sender">,
  rights: AccountRights,
): Promise<Account> {
  await using stack = new AsyncDisposableStack();
  const folder = mkdtempSync(join(tmpdir(), "account-"));
  stack.defer(() => rmSync(folder, { recursive: true, force: true }));
  const { tls, ca, token } = openAccess({ folder, clock, random });
  const limited = new LimitedSender(plane.sender, rights);
  // Webhooks see who it is.
  const user = `system:serviceaccount:${rights.home}:account-${random.hex(3)}`;
  const handle: ServeRequest = ({ method, path, query, headers, body, signal }) =>
    limited.send({
      method: method as HttpRequest["method"],
      path: query.size > 0 ? `${path}?${query}` : path,
      headers: { ...headers, "impersonate-user": user },
      body,
      signal,
    });
  const front = await serveHttps({ listen, tls: () => tls, token, handle });
  stack.defer(() => front.close(AbortSignal.abort()));
  const server = `https://127.0.0.1:${front.port}`;
  const sender = new AuthorizedSender(
    fixedCredentials({ headers: { authorization: `Bearer ${token}` } }),
    () => new HttpsSender({ url: server, tls: { ca } }),
  );
  stack.defer(() => sender.close());
  const client = new HttpClient({ sender, clock, random, userAgent: "account" });
  const kept = stack.move();
  return { client, credentials: { server, ca, token }, [Symbol.asyncDispose]: () => kept.disposeAsync() };
}
