import type { Crd } from "../../kube/schema/crd.ts";
import crds from "./generated/crds.json" with { type: "json" };

/** The CRDs of this API, checked when they were generated. */
export const cozystackCrds = crds as unknown as readonly Crd[];
