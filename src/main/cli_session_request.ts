import { secretsNamespace, sessionRequestOn } from "../apis/kopiur/catalog/session_request_of.ts";
import { consents } from "../apis/kopiur/mover.ts";
import { readCaBundle } from "../apis/kopiur/repository/ca_bundle.ts";
import type { AnyRepository, Cluster } from "../cli/frame/command.ts";
import { CommandProblem } from "../cli/frame/problem.ts";
import type { SessionRequest } from "../core/work/session/session_request.ts";
import { Namespaces } from "../kube/builtin.ts";

/** What a session of a person's own with a repository needs: the same as one of the operator's. */
export async function cliSessionRequest(
  { client }: Cluster,
  repository: AnyRepository,
  moverImage: string,
  signal: AbortSignal,
): Promise<SessionRequest> {
  const namespace = secretsNamespace(repository);
  const [ca, home] = await Promise.all([
    readCaBundle(client, repository, signal),
    client.get(Namespaces, { name: namespace }, { signal }),
  ]);
  const settings = { moverImage };
  const request = sessionRequestOn({ repository, namespace, ca, settings, consent: consents(home) });
  if (request.ok) return request.value;
  throw new CommandProblem(`the repository ${repository.metadata.name} cannot be asked`, {
    why: request.error.message,
  });
}
