import type { Conversation, OutboundMessage, SendOptions } from "@hermes/core";
import { type Browser, type BrowserContext, type BrowserContextOptions, devices, type Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { launchChromium } from "./chromium.ts";
import { type RunningWeb, startWeb } from "./running-web.ts";

export const HOME: Conversation = { platform: "web", chatId: "home", kind: "dm" };
export const PHONE = { ...devices["iPhone 13"], viewport: { width: 390, height: 844 }, defaultBrowserType: undefined };

const signal = new AbortController().signal;

/** What serves the pages of a test. */
export type Served = Pick<RunningWeb, "baseUrl" | "link" | "adapter"> & AsyncDisposable;

/** A page server for each test, and the browser that opens its pages. */
export interface OpenPages<Web extends Served = RunningWeb> {
  readonly web: Web;
  /** A page of a browser of its own that has not gone anywhere. */
  newPage(options?: BrowserContextOptions): Promise<Page>;
  /** The same, signed in at an address and drawn. */
  openPage(path?: string, options?: BrowserContextOptions): Promise<Page>;
  openThread(name: string): Promise<Conversation>;
  /** Has Hermes say something; returns the message's id. */
  send(
    at: Conversation,
    message: OutboundMessage | string,
    about?: Pick<SendOptions, "sessionId" | "turnId" | "content">,
  ): Promise<string>;
}

/**
 * Serves the page anew for each test of a `describe`. After each, no page may have asked anything of another server,
 * failed, or broken its policy.
 */
export function usePages(): OpenPages;
export function usePages<Web extends Served>(start: () => Promise<Web>): OpenPages<Web>;
export function usePages(start: () => Promise<Served> = startWeb): OpenPages<Served> {
  let chromium: Browser;
  let web: Served;
  let baseUrl: string;
  let contexts: BrowserContext[];
  let problems: string[];
  let elsewhere: string[];
  let keys = 0;

  beforeAll(async () => {
    chromium = await launchChromium();
  });
  afterAll(() => chromium.close());
  beforeEach(async () => {
    web = await start();
    baseUrl = web.baseUrl;
    contexts = [];
    problems = [];
    elsewhere = [];
  });
  afterEach(async () => {
    await Promise.all(contexts.map((context) => context.close()));
    await web[Symbol.asyncDispose]();
    expect(elsewhere, "requests to anywhere else").toEqual([]);
    expect(problems, "errors in the page, and violations of its policy").toEqual([]);
  });

  const pages: OpenPages<Served> = {
    get web() {
      return web;
    },

    async newPage(options = {}) {
      const context = await chromium.newContext({ viewport: { width: 1280, height: 800 }, ...options });
      contexts.push(context);
      context.setDefaultTimeout(30_000);
      const page = await context.newPage();
      page.on("pageerror", (error) => problems.push(error.message));
      page.on("console", (message) => {
        // A browser reports every refused or failed request; which of them are right, each test says itself.
        if (message.type() === "error" && !message.text().startsWith("Failed to load resource"))
          problems.push(message.text());
      });
      page.on("request", (request) => {
        if (!request.url().startsWith(`${baseUrl}/`)) elsewhere.push(request.url());
      });
      return page;
    },

    async openPage(path = "/", options = {}) {
      const page = await pages.newPage(options);
      await page.goto(await web.link(path));
      await page.getByRole("log").waitFor();
      return page;
    },

    async openThread(name) {
      const options = { home: { chatId: "home" }, mark: name, signal };
      return (await web.adapter.createHandoffThread("home", name, options)).conversation;
    },

    async send(at, message, about = {}) {
      const whole = typeof message === "string" ? ({ kind: "answer", markdown: message } as const) : message;
      let messageId = "";
      for (const piece of web.adapter.render(whole)) {
        ({ messageId } = await web.adapter.send(at, piece, { ...about, key: `key-${keys++}`, signal }));
      }
      return messageId;
    },
  };
  return pages;
}
