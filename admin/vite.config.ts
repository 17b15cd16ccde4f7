import { defineConfig } from "vite";

/** Also what `npm run dev` uses: a service on its usual port answers the API behind it. */
export default defineConfig({
  root: import.meta.dirname,
  clearScreen: false,
  server: { proxy: { "/api": { target: "https://localhost:8443", secure: false } } },
  build: {
    outDir: "dist",
    emptyOutDir: true,
    manifest: "manifest.json",
    target: "es2023",
    // The policy of the pages allows neither inline scripts nor `data:` images.
    modulePreload: { polyfill: false },
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // A page would otherwise fetch some twenty small files over the six connections of HTTP/1.1. The uses of a library
    // for one page stay there.
    rolldownOptions: { output: { codeSplitting: { groups: [{ name: "shared", minShareCount: 2 }] } } },
  },
});
