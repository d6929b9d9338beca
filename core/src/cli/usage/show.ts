import { MODEL_CATALOGUE } from "../../agent/model-catalogue.ts";
import { findSession } from "../../command/find-session.ts";
import { windowText } from "../../command/usage.ts";
import { usageGroups, usageTable } from "../../command/usage-groups.ts";
import { EVERY_SESSION } from "../../model/session.ts";
import { dayOf, type UsageBy } from "../../model/usage.ts";
import { usageText } from "../../model/usage-text.ts";
import { usageDocument } from "../../overview/usage.ts";
import { renderOn } from "../../terminal/render-markdown.ts";
import type { CliContext } from "../context.ts";
import type { Since } from "../parse-since.ts";

interface UsageOptions {
  readonly by?: UsageBy;
  readonly session?: string;
  readonly since?: Since;
  readonly limit: number;
}

const LATEST: Since = (now) => now - 30 * 24 * 60 * 60_000;

/** `hermes usage` */
export async function showUsage({ output, withHost }: CliContext, options: UsageOptions): Promise<undefined> {
  const { limit } = options;
  await withHost(
    async ({ store, clock, container }) => {
      const catalogue = container.resolve(MODEL_CATALOGUE);
      const windowOf = (model: string) => catalogue.factsOf(model).window;
      const session =
        options.session === undefined ? undefined : await findSession(store, options.session, EVERY_SESSION);
      const by = options.by ?? (session === undefined ? "day" : "turn");
      const since = (options.since ?? (session === undefined ? LATEST : undefined))?.(clock.now());
      if (output.json) {
        return output.document(await usageDocument(store, { by, session, since, limit, windowOf }));
      }
      const filter = { session: session?.id, since };
      const groups = await usageGroups(store, by, { ...filter, limit: limit + 1 });
      if (session !== undefined) {
        const last = await store.usage.lastOf(session.id);
        output.line(output.colors.bold(session.title ?? session.id));
        print(windowText(last, last && windowOf(last.model)));
      }
      const from = since === undefined ? "In all" : `Since ${momentOf(since)}`;
      print(`${from}: ${usageText(await store.usage.sum(filter))}.`);
      if (groups.length > 0) {
        output.line("");
        print(usageTable(by, groups.slice(0, limit)));
      }
      if (groups.length > limit) output.note(`There are more: \`hermes usage --limit ${limit * 2}\` shows them.`);
    },
    { needsConfig: false },
  );

  function print(markdown: string): void {
    output.line(renderOn(output.io, markdown));
  }
}

/** The day, with the time unless it is the day's beginning; both in local time, as days are grouped. */
function momentOf(at: number): string {
  const time = new Date(at).toTimeString().slice(0, 5);
  return time === "00:00" ? dayOf(at) : `${dayOf(at)} ${time}`;
}
