import { QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { watchAttendance } from "./api/attendance.ts";
import { makeQueryClient } from "./api/query_client.ts";
import { returnToPlace } from "./layout/kept_place.ts";
import { makeRouter } from "./router.tsx";
import { applyTheme, storedTheme } from "./theme/theme.ts";
import "./theme/tokens.css";
import "./theme/base.css";
import "./theme/parts.css";
import "./layout/shell.css";

applyTheme(storedTheme());
watchAttendance(window);
returnToPlace();
createRoot(document.getElementById("root") as HTMLElement).render(
  <StrictMode>
    <QueryClientProvider client={makeQueryClient()}>
      <RouterProvider router={makeRouter()} />
    </QueryClientProvider>
  </StrictMode>,
);
