import { sayAgo } from "../../command/words.ts";
import type { UndeliveredMessage } from "../../model/delivery.ts";
import { deliveriesDocument } from "../../overview/deliveries.ts";
import { describeDelivery } from "../../overview/delivery-document.ts";
import { styled } from "../../terminal/styled.ts";
import type { CliContext } from "../context.ts";
import { numberedDeliveries } from "./find-delivery.ts";

export async function listDeliveries(
  { output, withHost }: CliContext,
  { limit, waiting = false }: { limit: number; waiting?: boolean },
): Promise<undefined> {
  await withHost(async ({ store, clock }) => {
    if (output.json) return output.document(await deliveriesDocument(store, { limit, waiting }));
    const deliveries = await store.deliveries.list({ limit, waiting });
    const described = await Promise.all(deliveries.map((delivery) => describeDelivery(store, delivery)));
    if (deliveries.length === 0) output.line("Every message has arrived, as far as Hermes knows.");
    const numbers = new Map((await numberedDeliveries(store)).map(({ id }, index) => [id, index + 1]));
    const { bold, dim } = output.colors;
    for (const [at, delivery] of deliveries.entries()) {
      const { name = "", place = "" } = described[at] ?? {};
      const number = String(numbers.get(delivery.id) ?? "").padStart(3);
      const when = sayAgo(clock.now(), delivery.createdAt);
      output.line(styled`${number}  ${bold(name)} ${place}: ${stateWords(delivery)}, ${when}  ${dim(delivery.id)}`);
      if (delivery.error !== null) output.line(`     ${delivery.error.text}`);
    }
    if (deliveries.length > 0) {
      output.line(
        dim(
          output.asCalled(
            "`hermes deliveries show 1` shows one whole; `retry 1` sends it again, `drop 1` gives it up.",
          ),
        ),
      );
    }
  });
}

/** What became of a message, in words. */
export function stateWords({ state, pieces, wasOffered, isHeldBack }: UndeliveredMessage): string {
  const left = pieces.left < pieces.all ? `, ${pieces.left} of ${pieces.all} parts` : "";
  const part = isHeldBack && state !== "waiting" ? `${left}, to be sent by hand` : left;
  switch (state) {
    case "failed":
      return `refused${part}${wasOffered ? ", also when it was offered again" : ""}`;
    case "uncertain":
      return `may not have arrived${part}${wasOffered ? ", offered again" : ""}`;
    case "waiting":
      return `still to be sent${part}`;
  }
}
