import { resourceOfRepository } from "../apis/kopiur/references.ts";
import type { AnyRepository, Cluster } from "../cli/frame/command.ts";
import { CommandProblem } from "../cli/frame/problem.ts";
import { allowsPrivileges, privilegeAnnotation } from "../core/consent/privileges.ts";
import { readCaBundle } from "../core/repository/ca_bundle.ts";
import { secretsNamespace, sessionRequestOn } from "../core/repository/session_request.ts";
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
  const consent = allowsPrivileges(home, privilegeAnnotation(repository));
  const context = { repository, namespace, ca, settings, consent };
  const request = sessionRequestOn(context, resourceOfRepository(repository.metadata));
  if (request.ok) return request.value;
  throw new CommandProblem(`the repository ${repository.metadata.name} cannot be asked`, {
    why: request.error.message,
  });
}
