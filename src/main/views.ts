import { autorestoreView } from "../apis/autorestore/view/autorestore_view.ts";
import { cozystackView } from "../apis/cozystack/view/cozystack_view.ts";
import { kopiurView } from "../apis/kopiur/view/kopiur_view.ts";
import { plumberView } from "../apis/plumber/view/plumber_view.ts";
import { veleroView } from "../apis/velero/view/velero_view.ts";
import type { ApiView } from "../core/view/api_view.ts";

/** How every API of `apis.ts` shows its objects: apart from that, so that the command line loads no controllers. */
export const VIEWS: readonly ApiView[] = [
  kopiurView,
  plumberView,
  autorestoreView,
  cozystackView,
  veleroView,
];
