import { setTimeout as delay } from "node:timers/promises";
import type { CommandInfo, Conversation, PluginDeps, SendOptions } from "@hermes/core";
import { listenOnLoopback } from "@hermes/emulator";
import { pluginDeps } from "@hermes/testing";
import { type WhatsAppOptions, whatsappOptions } from "../src/config.ts";

const COMMANDS: readonly CommandInfo[] = [
  { name: "new", description: "Begins a new session", argumentHint: "" },
  { name: "title", description: "Names the session", argumentHint: "[title]" },
];

/** How long anything that the network brings about may take, in milliseconds. */
const PATIENCE_MS = 8_000;

/** Waits until something that the network brings about is so. */
export async function until(isSo: () => boolean): Promise<void> {
  const end = Date.now() + PATIENCE_MS;
  while (!isSo()) {
    if (Date.now() > end) throw new Error(`it never came about: ${isSo.toString()}`);
    await delay(2);
  }
}

export function at(chatId: string): Conversation {
  return { platform: "whatsapp", chatId, kind: chatId.endsWith("@g.us") ? "group" : "dm" };
}

export function sending(key = "key-1"): SendOptions {
  return { key, signal: new AbortController().signal };
}

/** A server that is nobody's: what it was asked, as paths with the credentials that came along. */
export async function startElsewhere(): Promise<{ readonly url: string; readonly asked: string[] } & AsyncDisposable> {
  const asked: string[] = [];
  const server = await listenOnLoopback((request, response) => {
    asked.push(`${request.url} ${request.headers.authorization ?? ""}`);
    response.end("{}");
  });
  return { url: server.url, asked, [Symbol.asyncDispose]: () => server.close() };
}

/** What the host gives the plugin, with a log that is noted. */
export function depsFor(
  options: Record<string, unknown>,
  parts: Pick<PluginDeps, "clock" | "folder"> & Partial<Pick<PluginDeps, "identities">>,
  logged: string[],
): PluginDeps<WhatsAppOptions> {
  return pluginDeps({ ...parts, options: whatsappOptions.parse(options), commands: COMMANDS }, logged);
}
