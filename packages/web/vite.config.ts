/** How the page is built: into files of its own origin, with no inline script or style, so that the strictest policy of a server lets it run. */
export default {
  root: import.meta.dirname,
  base: "/",
  build: {
    outDir: "dist",
    emptyOutDir: true,
    target: "es2024",
    // Small files as `data:` would need a wider policy than the server's.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 400,
  },
};
