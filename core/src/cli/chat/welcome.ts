import type { Host } from "../../host/host.ts";
import type { CliContext } from "../context.ts";

/** The first line of a chat that a person sits at. */
export function printWelcome({ io, output }: CliContext, { config }: Host): void {
  if (!io.isInteractive) return;
  const model = config.model ?? "no model is set";
  output.note(`Hermes · ${model} · /help lists the commands, /quit leaves`);
  if (config.path === null) output.note("There is no config yet: `hermes init` sets a model and platforms up.");
}
