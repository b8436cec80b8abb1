import type { Lease } from "../builtin.ts";

type LeaseSpec = NonNullable<Lease["spec"]>;

/** The spec of a lease as its holder writes it. */
export interface LeaseClaim {
  readonly identity: string;
  readonly duration: number;
  /** Wall time: for people to read, never compared. */
  readonly now: number;
  /** Differs from one write to the next, so that each is seen as a sign of life even while the wall clock stands. */
  readonly sequence: number;
}

/** A time as the API server wants it in a Lease: with six fractional digits. */
export function microTime(ms: number, micros = 0): string {
  return new Date(ms).toISOString().replace("Z", `${String(micros % 1000).padStart(3, "0")}Z`);
}

/** The spec that claims or renews the lease on top of what is there now. */
export function claimedSpec(before: LeaseSpec | undefined, claim: LeaseClaim): LeaseSpec {
  const time = microTime(claim.now, claim.sequence);
  const renewal = {
    ...before,
    holderIdentity: claim.identity,
    leaseDurationSeconds: Math.ceil(claim.duration / 1000),
    renewTime: time,
  };
  if (before?.holderIdentity === claim.identity) return renewal;
  const leaseTransitions = before === undefined ? 0 : (before.leaseTransitions ?? 0) + 1;
  return { ...renewal, acquireTime: time, leaseTransitions };
}

/** The spec that lets go: nobody holds the lease, and nobody needs to wait for it. */
export function releasedSpec(before: LeaseSpec | undefined, now: number): LeaseSpec {
  return { ...before, holderIdentity: "", leaseDurationSeconds: 1, renewTime: microTime(now) };
}

/** What a lease says about its holder's life, as one comparable text. */
export function signOfLife(lease: Lease): string {
  const { holderIdentity, renewTime, acquireTime, leaseTransitions, leaseDurationSeconds } = lease.spec ?? {};
  return JSON.stringify([holderIdentity, renewTime, acquireTime, leaseTransitions, leaseDurationSeconds]);
}
