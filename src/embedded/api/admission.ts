import type { KindInfo } from "../kinds/kind_info.ts";
import type { Stored } from "../store/store.ts";
import type { User } from "./user.ts";

/** A write on its way to the store. */
export interface Attempt {
  readonly operation: "CREATE" | "UPDATE" | "DELETE";
  readonly kind: KindInfo;
  readonly subresource: string | undefined;
  /** Empty for what has no namespace. */
  readonly namespace: string;
  readonly name: string;
  /** Absent when it is deleted. */
  readonly object?: Stored;
  /** Absent when it is created. */
  readonly old?: Stored;
  /** Who writes. */
  readonly user: User;
  readonly dryRun: boolean;
  readonly warn: (text: string) => void;
}

/** Those who may change or refuse a write. They throw a Refusal. */
export interface Admission {
  /** The object as it goes on. */
  mutate(attempt: Attempt & { readonly object: Stored }): Promise<Stored>;
  validate(attempt: Attempt): Promise<void>;
}
