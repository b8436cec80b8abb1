import { misuse } from "./problem.ts";

/** Throws a CommandProblem for a name that no object can have. */
export function refuseBadName(option: string, name: string | undefined): void {
  if (name === undefined || (name.length <= 253 && /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/.test(name))) return;
  throw misuse(
    `--${option} is ${JSON.stringify(name)}, and no object can have that name`,
    "Use lower-case letters, digits and -, such as documents-copy.",
  );
}
