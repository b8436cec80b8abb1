import { createRoute, lazyRouteComponent } from "@tanstack/react-router";
import { rootRoute } from "../../layout/root_route.tsx";

export const repositoryRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/repositories/$kind/$namespace/$name",
  component: lazyRouteComponent(() => import("./repository.tsx"), "Repository"),
});
