import type { ComponentChildren } from "preact";
import type { WireGrowing } from "../../src/server/wire/thread.ts";
import { Markdown } from "../markdown/markdown.tsx";

/** What is said in the session at another place, while it is written there; `children` stand in front of the answer. */
export function Growing({
  said: { place, asked, text },
  children,
}: {
  said: WireGrowing;
  children?: ComponentChildren;
}) {
  return (
    <>
      {asked !== "" && (
        <article class="message own echo" aria-label={`You, ${place}`}>
          <div class="bubble">
            <p class="plain" dir="auto">
              {asked}
            </p>
          </div>
          <p class="meta">
            <span class="place">{place}</span>
          </p>
        </article>
      )}
      {children}
      <article class="message answer echo growing" aria-label={`Hermes, ${place}`} aria-busy={true}>
        <p class="meta">
          <strong>Hermes</strong>
          <span class="place">{place}</span>
        </p>
        <Markdown text={text === "" ? "…" : text} />
      </article>
    </>
  );
}
