import { MODEL_CATALOGUE } from "../../agent/model-catalogue.ts";
import { count } from "../../base/text.ts";
import type { Session } from "../../model/session.ts";
import { sentTokens } from "../../model/usage.ts";
import { lookUpPlace, nameOfPlace } from "../../store/look-up-place.ts";
import type { TerminalHost } from "../context.ts";
import type { StatusFacts } from "./status-row.ts";

/** What the row below the prompt says of a session; null: the one that the next message begins, in `folder`. */
export async function statusFactsOf(
  host: TerminalHost,
  session: Session | null,
  folder: string,
): Promise<Omit<StatusFacts, "mode" | "isNewMode">> {
  return {
    model: session === null ? (host.config.model ?? null) : host.agent.modelOf(session),
    window: session === null ? null : await windowText(host, session),
    folder: session === null ? folder : session.workingDirectory,
    elsewhere: session === null ? [] : await openPlaces(host, session),
  };
}

/**
 * How full the model's window is: `34 % of 200k`; in tokens where its size is not known, null where nothing was
 * counted.
 */
async function windowText({ store, container }: TerminalHost, { id }: Session): Promise<string | null> {
  const last = await store.usage.lastOf(id);
  if (last === null) return null;
  const used = sentTokens(last) + last.output;
  const { window } = container.resolve(MODEL_CATALOGUE).factsOf(last.model);
  return window === null
    ? `${inThousands(used)} tokens`
    : `${Math.round((100 * used) / window)} % of ${inThousands(window)}`;
}

function inThousands(tokens: number): string {
  return tokens < 1_000 ? String(tokens) : `${Math.round(tokens / 1_000)}k`;
}

/** Where a session is open besides this terminal, and the conversations that lead to it. */
async function openPlaces({ store, holder }: TerminalHost, { id }: Session): Promise<string[]> {
  const views = (await store.views.of(id)).filter((view) => view.holder.id !== holder.id);
  const terminals = views.filter(({ surface }) => surface === "terminal").length;
  const pages = views.filter(({ surface }) => surface !== "terminal").map(({ surface }) => lookUpPlace(store, surface));
  const chats = (await store.bindings.of(id)).map((binding) => nameOfPlace(store, binding));
  const here =
    terminals === 0 ? [] : [terminals === 1 ? "in another terminal" : `in ${count(terminals, "other terminal")}`];
  return [...new Set([...here, ...(await Promise.all([...pages, ...chats]))])];
}
