import type { ServedRequest } from "../../lib/https_server.ts";

/** Who makes a request. */
export interface User {
  readonly username: string;
  readonly groups: readonly string[];
}

const AUTHENTICATED = "system:authenticated";

/** Whoever has the token is this user, who may do everything. */
const ADMIN: User = { username: "admin", groups: ["system:masters", AUTHENTICATED] };

/** The administrator, or whom they act as: webhooks see the difference, and nobody may do less. */
export function userOf({ headers }: Pick<ServedRequest, "headers">): User {
  const username = headers["impersonate-user"];
  if (!username) return ADMIN;
  const given = headers["impersonate-group"]?.split(/, */) ?? [];
  return { username, groups: [...(given.length > 0 ? given : accountGroups(username)), AUTHENTICATED] };
}

/** A ServiceAccount is in the groups of its kind, unless others are named. */
function accountGroups(username: string): readonly string[] {
  const [, namespace] = /^system:serviceaccount:([^:]+):[^:]+$/.exec(username) ?? [];
  return namespace ? ["system:serviceaccounts", `system:serviceaccounts:${namespace}`] : [];
}
