import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../layout/root_route.tsx";

export const objectRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/objects/$resource/$namespace/$name",
  component: lazyRouteComponent(() => import("./object.tsx"), "ObjectScreen"),
});
