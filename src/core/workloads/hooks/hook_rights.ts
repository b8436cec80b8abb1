import { Jobs, Pods } from "../../../kube/builtin.ts";
import type { Right } from "../../../kube/rights.ts";

/** What hooks ask for. */
export const HOOK_RIGHTS: readonly Right[] = [
  { resource: Pods, verbs: ["list"], why: "hooks choose pods by their labels" },
  {
    resource: Pods,
    subresource: "exec",
    // A websocket is opened with GET, and newer servers want the right to create as well.
    verbs: ["get", "create"],
    why: "hooks run commands in the workload",
  },
  { resource: Jobs, verbs: ["get", "create", "delete"], why: "hooks run Jobs" },
  { resource: Pods, subresource: "log", verbs: ["get"], why: "a failed hook's last words are told" },
];
