import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PluginCliContext } from "@hermes/core";
import { createVirtualClock } from "@hermes/testing";
import { afterEach, describe, expect, it } from "vitest";
import { BrowserClient } from "../test/browser-client.ts";
import { startWeb } from "../test/running-web.ts";
import webCli, { openLink } from "./cli.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function contextFor(folder: string, clock = createVirtualClock()): PluginCliContext & { readonly lines: string[] } {
  const lines: string[] = [];
  return { folder, clock, ids: { next: (prefix) => prefix }, print: (line) => void lines.push(line), lines };
}

function run(name: string, context: PluginCliContext): Promise<number> | undefined {
  return webCli.commands?.find((command) => command.name === name)?.run([], context);
}

describe("hermes web open", () => {
  it("prints a link that signs a browser in, and who can open it", async () => {
    await using web = await startWeb();
    const context = contextFor(web.folder, web.clock);
    expect(await run("open", context)).toBe(0);
    const [link = "", note] = context.lines;
    expect(link).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/#code=[\w-]{43}$/);
    expect(note).toContain("Only this machine can open it; for the phone, set `publicUrl` or `host`");
    expect((await new BrowserClient(web.baseUrl).signIn(link)).status).toBe(204);
  });

  it("hermes web open says that nothing answers", async () => {
    await using web = await startWeb();
    await web.adapter.stop();
    const context = contextFor(web.folder, web.clock);
    expect(await run("open", context)).toBe(0);
    expect(context.lines.at(-1)).toBe("Nothing answers there now. Is the gateway running?");
  });

  it("hermes web open says that the gateway has to be started first", async () => {
    const folder = mkdtempSync(join(tmpdir(), "hermes-web-"));
    folders.push(folder);
    const context = contextFor(folder);
    expect(await run("open", context)).toBe(1);
    expect(context.lines).toEqual(["The page has not been served yet. Start the gateway: `hermes gateway`."]);
  });
});

describe("a link that the terminal prints", () => {
  it("leads to its thread, also when it was stored under another port", async () => {
    await using web = await startWeb();
    const { url } = await openLink("http://127.0.0.1:1/t/thr_1", contextFor(web.folder, web.clock));
    expect(url.replace(/#.*/, "")).toBe(`${web.baseUrl}/t/thr_1`);
  });

  it("never takes a code to another server", async () => {
    await using web = await startWeb();
    const { url } = await openLink("https://evil.example/t/thr_1", contextFor(web.folder, web.clock));
    expect(new URL(url).origin).toBe(web.baseUrl);
  });

  it("starts the link with the public address, without the note on this machine", async () => {
    await using web = await startWeb({ publicUrl: "https://hermes.example.org" });
    const { url, note } = await openLink("/t/thr_1", contextFor(web.folder, web.clock));
    expect(url).toMatch(/^https:\/\/hermes\.example\.org\/t\/thr_1#code=/);
    expect(note).not.toContain("Only this machine");
  });
});

describe("hermes web sign-out", () => {
  it("signs every browser out", async () => {
    await using web = await startWeb();
    const browser = await web.browser();
    const context = contextFor(web.folder, web.clock);
    expect(await run("sign-out", context)).toBe(0);
    expect(context.lines).toEqual(["1 browser was signed out."]);
    expect((await browser.request("/api/chats")).status).toBe(401);
  });
});
