import { fileURLToPath } from "node:url";
import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import { createServer } from "vite";

/** The page's own renderer of a message, from its sources, without a browser. */
export interface PageRenderer extends AsyncDisposable {
  /** The elements that the page makes of a message, as HTML. */
  render(markdown: string): string;
}

export async function loadPageRenderer(): Promise<PageRenderer> {
  const configFile = fileURLToPath(new URL("../client/vite.config.ts", import.meta.url));
  const server = await createServer({
    configFile,
    appType: "custom",
    logLevel: "error",
    server: { middlewareMode: true, hmr: false, ws: false, watch: null },
    optimizeDeps: { noDiscovery: true },
  });
  const { Markdown } = (await server.ssrLoadModule("/markdown/markdown.tsx")) as {
    readonly Markdown: (props: { readonly text: string }) => ReturnType<typeof h>;
  };
  return {
    render: (text) => renderToString(h(Markdown, { text })),
    [Symbol.asyncDispose]: () => server.close(),
  };
}
