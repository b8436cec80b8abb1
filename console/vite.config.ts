import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

/** Where `holdfast console --port 7420` serves, for `vite dev`. */
const SERVER = "http://127.0.0.1:7420";

export default defineConfig({
  plugins: [react()],
  build: { target: "es2023", cssMinify: true, reportCompressedSize: false },
  server: { proxy: { "/api": SERVER } },
});
