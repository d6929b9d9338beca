import { parseSections, type Root } from "@hermes/core/markdown";
import { loadPageRenderer } from "../../plugins/web/test/page-renderer.ts";

/** What makes something to be seen of an answer. Each step of `render` is what nobody could come in between. */
export interface Renderer {
  readonly name: string;
  render(markdown: string): Generator<unknown>;
}

type Format = (message: { readonly kind: "answer"; readonly markdown: string }, root: Root) => unknown;

const PLATFORMS = ["telegram", "discord", "slack", "signal", "imessage", "matrix", "whatsapp", "web"];

/** Every platform's formatting, the terminal's and the page's, on the build. */
export async function loadRenderers(): Promise<{ readonly renderers: readonly Renderer[] } & AsyncDisposable> {
  const page = await loadPageRenderer();
  const { renderForTerminal } = await builtModule<{
    renderForTerminal(markdown: string, options: { readonly width: number; readonly color: boolean }): string;
  }>("core/dist/terminal/render-markdown.js");
  const platforms = PLATFORMS.map(async (name): Promise<Renderer> => {
    const { render } = await builtModule<{ render: Format }>(`plugins/${name}/dist/format.js`);
    return {
      name,
      // As the gateway does it: a section, and then whoever waits.
      *render(text) {
        for (const { markdown, root } of parseSections(text)) yield render({ kind: "answer", markdown }, root);
      },
    };
  });
  return {
    renderers: [
      ...(await Promise.all(platforms)),
      {
        name: "terminal",
        *render(text) {
          yield renderForTerminal(text, { width: 80, color: true });
        },
      },
      {
        name: "page",
        *render(text) {
          yield page.render(text);
        },
      },
    ],
    [Symbol.asyncDispose]: () => page[Symbol.asyncDispose](),
  };
}

async function builtModule<T>(path: string): Promise<T> {
  return (await import(new URL(`../../${path}`, import.meta.url).href)) as T;
}
