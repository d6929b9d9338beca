import { reasonOf } from "@hermes/core";
import { Hono } from "hono";
import { PAGE_HEADER } from "../source.ts";
import { createApi } from "./api.ts";
import { ownNamesOnly, ownPagesOnly, secureHeaders } from "./guard.ts";
import type { PageFile } from "./page-files.ts";
import type { ServerParts, WebEnv } from "./parts.ts";
import { answerRefusal, Refusal } from "./refusal.ts";

const NOT_BUILT = "The page was not built. Run `npm run build`, and start the gateway again.\n";

/** Creates the routes: the API, and the page's files for anybody who asks by one of its names. */
export function createApp(parts: ServerParts, pageFiles: ReadonlyMap<string, PageFile>): Hono<WebEnv> {
  const app = new Hono<WebEnv>();

  app.onError((error, c) => {
    if (error instanceof Refusal) return answerRefusal(c, error);
    parts.logger.error({ path: c.req.path, reason: reasonOf(error) }, "a request failed");
    return answerRefusal(c, new Refusal("BUSY"));
  });

  app.use(secureHeaders());
  app.use(ownNamesOnly(parts.names));
  app.get("/healthz", (c) => c.text("ok\n", 200, { [PAGE_HEADER]: parts.file.meta.epoch }));
  app.use("/api/*", ownPagesOnly(parts.names));
  app.route("/api", createApi(parts));

  // The page's files hold nothing private, so they are public; it loads the rest through the API.
  const page = () => {
    const index = pageFiles.get("/index.html");
    return index ? file(index) : new Response(NOT_BUILT, { status: 503 });
  };
  app.get("/", page);
  app.get("/threads", page);
  app.get("/t/:id", page);
  app.get("/overview", page);
  app.get("/overview/*", page);
  app.get("*", (c) => {
    const found = pageFiles.get(c.req.path);
    return found ? file(found) : c.text("There is nothing here.\n", 404);
  });
  return app;
}

function file({ body, type, isHashed }: PageFile): Response {
  const cacheControl = isHashed ? "public, max-age=31536000, immutable" : "no-cache";
  return new Response(body, { headers: { "Content-Type": type, "Cache-Control": cacheControl } });
}
