import type { Command } from "commander";
import type { MakeAction } from "../context.ts";
import { parseCount } from "../parse-option.ts";

/** `hermes deliveries …` */
export function addDeliveryCommands(program: Command, act: MakeAction): void {
  const deliveries = program
    .command("deliveries")
    .description("list, show, send again and drop messages that did not arrive");

  deliveries
    .command("list", { isDefault: true })
    .description("list the messages that did not arrive, newest first, with the reason")
    .option("-n, --limit <number>", "how many", parseCount, 99)
    .option("--waiting", "include those that are still being sent")
    .action(act(async () => (await import("./list.ts")).listDeliveries));

  deliveries
    .command("show <message>")
    .description("print a message, where it was addressed, and why it did not arrive; name it by number or id")
    .action(act(async () => (await import("./show.ts")).showDelivery));

  deliveries
    .command("retry <message>")
    .description("send a message again, now or as soon as a gateway runs")
    .option("-y, --yes", "do not ask, although it is held back and others can read it there")
    .action(act(async () => (await import("./retry.ts")).retryDelivery));

  deliveries
    .command("drop <message>")
    .description("drop a message: do not send or offer it again")
    .action(act(async () => (await import("./drop.ts")).dropDelivery));
}
