import type { ServerVersion } from "../../kube/client/server_version.ts";
import { broken, type Finding, warning, well } from "./finding.ts";

/** Minor versions of Kubernetes 1. */
const OLDEST = 30;
/** Those that suites of this code have passed on, oldest first. */
export const TESTED: readonly number[] = [37];

/** Whether the API server is of a version that Holdfast is made for. */
export function judgeVersion(version: ServerVersion | undefined): Finding {
  const tested = `It is tested with ${TESTED.map((minor) => `1.${minor}`).join(", ")}.`;
  if (!version)
    return warning(
      "the API server does not say which Kubernetes it is",
      `Its /version names none. ${tested}`,
      "Look whether a proxy answers in its place.",
    );
  const { major, minor, text } = version;
  if (major < 1 || (major === 1 && minor < OLDEST))
    return broken(
      `Kubernetes ${text} is too old`,
      `Holdfast needs 1.${OLDEST}: older ones do not know some of the rules in its CRDs, and of the fields of its Jobs.`,
      "Upgrade the cluster.",
    );
  if (major > 1 || !TESTED.includes(minor))
    return warning(
      `Holdfast is not tested with Kubernetes ${text}`,
      tested,
      minor > Math.max(...TESTED) || major > 1
        ? "Look for a newer release of Holdfast."
        : "It should work; upgrade the cluster when you can.",
    );
  return well(`Kubernetes ${text} is a version that is tested`);
}
