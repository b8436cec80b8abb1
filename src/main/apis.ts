import { autorestore } from "../apis/autorestore/api.ts";
import { cozystack } from "../apis/cozystack/api.ts";
import { kopiur } from "../apis/kopiur/api.ts";
import { plumber } from "../apis/plumber/api.ts";
import { velero } from "../apis/velero/api.ts";
import type { Api } from "../core/api.ts";

/** Every API that can be served. */
export const APIS: readonly Api[] = [kopiur, plumber, autorestore, cozystack, velero];
