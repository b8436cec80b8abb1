import type { Cluster } from "../frame/command.ts";
import type { Oidc } from "./oidc.ts";
import type { SignInLimits } from "./sign_ins.ts";

/** How people sign in. */
export type WaysIn = LoopbackWay | ClusterWays;

/** By a link that only the person who started it has, with their own kubeconfig. */
export interface LoopbackWay {
  readonly type: "loopback";
  readonly cluster: () => Promise<Cluster>;
}

/** With what they show the API server themselves. */
export interface ClusterWays {
  readonly type: "cluster";
  /** As whoever the token stands for. */
  readonly connect: (token: string) => Promise<Cluster & Partial<Disposable>>;
  readonly oidc?: Oidc | undefined;
}

const HOUR = 3_600_000;

/** How long a sign-in lasts. */
export const LIMITS: Readonly<Record<WaysIn["type"], SignInLimits>> = {
  loopback: { idle: 24 * HOUR, whole: 7 * 24 * HOUR },
  cluster: { idle: HOUR, whole: 12 * HOUR },
};
