import { holderWords } from "../../overview/holder-document.ts";
import { lanesDocument, waitingWords } from "../../overview/lanes.ts";
import { styled } from "../../terminal/styled.ts";
import type { CliContext } from "../context.ts";

/** `hermes lanes` */
export async function showLanes(
  { output, withHost }: CliContext,
  { limit }: { readonly limit: number },
): Promise<undefined> {
  await withHost(
    async (host) => {
      const document = await lanesDocument(host, { limit });
      output.document(document);
      if (output.json) return;
      const { lanes, total } = document;
      const { bold, dim } = output.colors;
      if (total === 0) output.line("No message waits.");
      for (const lane of lanes) {
        const { title, sessionId, place, because, error, holder } = lane;
        output.line(
          styled`${bold(title ?? sessionId ?? "no session")} ${place}: ${waitingWords(lane, host.clock.now())}`,
        );
        output.line(`     ${because}`);
        if (error !== null) output.line(`     ${error.message}`);
        if (holder !== null) output.line(dim(`     held by the ${holderWords(holder)}`));
      }
      if (total > lanes.length) output.note(`There are ${total}: \`hermes lanes --limit ${total}\` shows all.`);
    },
    { needsConfig: false },
  );
}
