import { createContext } from "react";

/** The namespace that is looked at, for what there may be hundreds of on a page. */
export const ScopeContext = createContext<string | undefined>(undefined);
