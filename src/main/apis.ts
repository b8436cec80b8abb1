import { kopiur } from "../apis/kopiur/api.ts";
import { plumber } from "../apis/plumber/api.ts";
import type { Api } from "../core/api.ts";

/** Every API that can be served. */
export const APIS: readonly Api[] = [kopiur, plumber];
