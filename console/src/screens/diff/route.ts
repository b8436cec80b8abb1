import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../layout/root_route.tsx";

export const diffRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/diff",
  component: lazyRouteComponent(() => import("./diff.tsx"), "Diff"),
});
