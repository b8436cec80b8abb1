import type { Backup } from "../../../../kinds/kopiur/generated/backup.ts";
import type { Draft } from "../../../../kube/object.ts";

/** What is to be done about the Backup that does the work for another. */
export type DelegateIntent =
  | { readonly type: "Make"; readonly draft: Draft<Backup> }
  /** As it was seen: another one of its name is left alone. */
  | { readonly type: "Adapt"; readonly delegate: Backup; readonly patch: object }
  | { readonly type: "Remove"; readonly delegate: Backup };
