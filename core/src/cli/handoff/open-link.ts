import { reasonOf } from "../../base/errors.ts";
import type { Host } from "../../host/host.ts";
import type { Output } from "../../terminal/output.ts";
import { styled } from "../../terminal/styled.ts";

/**
 * Prints the link that opens the thread: the plugin makes the stored one, which holds no secret, one that lets the
 * person in.
 */
export async function printLink(
  output: Output,
  host: Host,
  { platform, link }: { readonly platform: string; readonly link: string },
  { qr = false }: { readonly qr?: boolean } = {},
): Promise<void> {
  const { url, note } = await openable(output, host, platform, link);
  output.line(styled`\n  ${output.colors.cyan(url)}`);
  if (note !== undefined) output.line(styled`  ${output.colors.dim(note)}`);
  if (!qr) return;
  const { renderUnicodeCompact } = await import("uqr");
  output.line(`\n${renderUnicodeCompact(url, { border: 2 })}`);
}

async function openable(
  output: Output,
  host: Host,
  platform: string,
  link: string,
): Promise<{ readonly url: string; readonly note?: string }> {
  try {
    const { loadPluginCli } = await import("../plugins/load-plugin-cli.ts");
    const loaded = await loadPluginCli(host, platform);
    if (!loaded?.cli.openLink) return { url: link };
    return await loaded.cli.openLink(link, { ...loaded.context, print: (line) => output.line(line) });
  } catch (error) {
    host.logger.warn({ platform, error }, "a plugin could not make a link that opens");
    return { url: link, note: `The plugin could not add a sign-in to this link: ${reasonOf(error)}.` };
  }
}
