import type { CsiDrivers, ResourceQuotas } from "../../../kube/builtin.ts";
import type { Claim, ClaimRequest } from "../claim_request.ts";
import type { Hidden, StorageClass, Volume } from "../staging/observed_staging.ts";
import type { PopulationSource } from "./population_marks.ts";

export type CsiDriver = NonNullable<(typeof CsiDrivers)["shape"]>;
export type ResourceQuota = NonNullable<(typeof ResourceQuotas)["shape"]>;

/** What has to be known before a prime claim is made. */
export interface ClaimStorage {
  /** Of the claim. */
  readonly storageClass?: StorageClass | Hidden | undefined;
  /** The driver of the class, if it is one. */
  readonly driver?: CsiDriver | Hidden | undefined;
  /** The claim names a class that is certainly not there. Looked at for one that is still to be made. */
  readonly missingClass?: boolean;
  /** Of the claim's namespace. */
  readonly quotas: readonly ResourceQuota[] | Hidden;
}

/** Everything about one claim that is to get its data through a prime claim, at one moment. */
export interface ObservedPopulation {
  /** Absent once it is gone, also when another of its name is there. */
  readonly claim?: Claim | undefined;
  /** The volume that a claim says it has that names a source. */
  readonly bound?: Volume | Hidden | undefined;
  readonly prime?: Claim | undefined;
  /** The volume behind the prime claim. */
  readonly volume?: Volume | Hidden | undefined;
  /** Somebody's own claim that has the prime claim's name. */
  readonly foreign?: Claim | undefined;
  /** Asked only while there is no prime claim. Of a claim that is still to be made, its class and the quotas matter alone. */
  readonly storage?: ClaimStorage | undefined;
}

/** What is decided from. */
export interface PopulationView extends ObservedPopulation {
  readonly source: PopulationSource;
  /** The claim that the source asks for, and has made. Default: it is one that names the source. */
  readonly request?: ClaimRequest | undefined;
  /** The source is there, and is one for claims. */
  readonly wanted: boolean;
  /** What to do where claims with a data source cannot be filled, in words that follow "or". */
  readonly instead: string;
  /** The volume of the prime claim holds what it is to hold, and no mover writes into it any more. */
  readonly filled: boolean;
  readonly now: number;
}
