import { count } from "../../base/text.ts";
import type { Session } from "../../model/session.ts";
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
    window: null,
    folder: session === null ? folder : session.workingDirectory,
    elsewhere: session === null ? [] : await openPlaces(host, session),
  };
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
