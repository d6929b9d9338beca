import { sayAgo } from "../../command/words.ts";
import { placesDocument } from "../../overview/places.ts";
import { styled } from "../../terminal/styled.ts";
import type { CliContext } from "../context.ts";

/** `hermes places list` */
export async function listPlaces({ output, withHost }: CliContext): Promise<undefined> {
  await withHost(
    async ({ store, clock }) => {
      const document = await placesDocument(store);
      output.document(document);
      if (output.json) return;
      const { bold, dim } = output.colors;
      for (const { type, name, kind, isShared, readBy, lastUsedAt } of document.places) {
        const what = kind === "home" ? `home channel${name === null ? "" : ` “${name}”`}` : null;
        const words = [
          what,
          kind === "terminal" ? null : isShared ? "others read it" : "private",
          isShared || readBy === null ? null : `${readBy} reads it`,
          lastUsedAt === null ? null : `used ${sayAgo(clock.now(), lastUsedAt)}`,
        ].filter((word) => word !== null);
        output.line(styled`${bold(type)}${words.length === 0 ? "" : dim(`  ${words.join(", ")}`)}`);
      }
      for (const { type, reason } of document.unreachable) {
        output.line(styled`${bold(type)}${output.colors.yellow(`  cannot be reached: ${reason}`)}`);
      }
      output.note("`/handoff <place>` in the chat, or `hermes handoff <place> -s <session>`, sends a session there.");
    },
    { needsConfig: false },
  );
}
