import { ConfigMaps, Events, Jobs, Nodes, Pods, Secrets, ServiceAccounts } from "../../kube/builtin.ts";
import { LISTED_WHERE_NOT_STREAMED, type Right } from "../../kube/rights.ts";
import { MOVER_ACCOUNT } from "./mover_accounts.ts";

/** What runs and sessions ask for. */
export const RUN_RIGHTS: readonly Right[] = [
  {
    resource: Jobs,
    verbs: ["get", "list", "watch", "create", "patch", "delete", "deletecollection"],
    why: "movers are Jobs",
    unseen: LISTED_WHERE_NOT_STREAMED,
  },
  {
    resource: Pods,
    verbs: ["get", "list", "watch", "delete"],
    why: "the pods of movers are followed, and removed when their node is dead",
  },
  { resource: Pods, subresource: "log", verbs: ["get"], why: "movers report in their logs" },
  { resource: ConfigMaps, verbs: ["get", "create"], why: "a mover finds its work in a ConfigMap" },
  {
    resource: Secrets,
    verbs: ["create"],
    why: "a session's keys, and what a mover is lent, are given to it as a Secret of its own",
  },
  {
    resource: Secrets,
    verbs: ["get"],
    when: ["lending"],
    why: "a repository's credentials are lent to movers in other namespaces",
  },
  {
    resource: ServiceAccounts,
    verbs: ["create"],
    when: ["ownAccounts"],
    why: "movers have an account in each namespace in which they run",
  },
  {
    resource: ServiceAccounts,
    verbs: ["get", "patch"],
    names: [MOVER_ACCOUNT],
    when: ["ownAccounts"],
    why: "the movers' account is looked for, and given the pull secrets of the installation",
  },
  { resource: Events, verbs: ["list"], why: "only events tell why a Job has no pod" },
  {
    resource: Nodes,
    verbs: ["get"],
    when: ["clusterReads"],
    why: "a mover on a dead node is told from one that is silent",
  },
];

/** What an API asks for, too, whose runs start by signal. */
export const START_SIGNAL_RIGHTS: readonly Right[] = [
  {
    resource: Pods,
    subresource: "exec",
    // A websocket is opened with GET, and newer servers want the right to create as well.
    verbs: ["get", "create"],
    why: "prepared movers are told to start",
  },
];
