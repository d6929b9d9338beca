import { sayAgo } from "../../command/words.ts";
import { deliveryDocument, describeDelivery } from "../../overview/delivery-document.ts";
import { Styled, styled } from "../../terminal/styled.ts";
import type { CliContext } from "../context.ts";
import { findDelivery } from "./find-delivery.ts";
import { stateWords } from "./list.ts";

export async function showDelivery({ output, withHost }: CliContext, reference: string): Promise<undefined> {
  await withHost(async ({ store, clock }) => {
    const delivery = await findDelivery(store, reference);
    const { title, name, place } = await describeDelivery(store, delivery);
    const { markdown, files = [] } = delivery.message;
    output.document(deliveryDocument(delivery, title));
    const { bold, dim } = output.colors;
    output.line(styled`${bold(name)} ${place}: ${stateWords(delivery)}`);
    output.line(dim(`${delivery.id}, ${sayAgo(clock.now(), delivery.createdAt)}, tried ${delivery.attempts} times`));
    if (delivery.error !== null) output.line(`  ${delivery.error.text}`);
    output.line();
    output.line(Styled.from(markdown));
    for (const { name: file } of files) output.line(dim(`(file: ${file})`));
  });
}
