import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { type AdapterContext, sleep, WebhookListener } from "@hermes/core";
import type { AcmeMessage, Connection } from "./api.ts";
import { decode } from "./inbound.ts";

/** How often the address is given to Acme again, in milliseconds: this is how Hermes learns that Acme is away. */
const REGISTERED_EVERY_MS = 60_000;

/**
 * Receives by a webhook. Acme is answered 200 when Hermes has kept the message, and sends again what was not answered so.
 * Each request is signed with a secret that is made anew at each start.
 */
export async function receiveMessages(
  connection: Connection,
  { receive, keepReceiving, onStop }: AdapterContext,
): Promise<void> {
  const { api, deps } = connection;
  const { webhook } = deps.options;
  const secret = randomBytes(32).toString("hex");

  const listener = new WebhookListener({
    platform: "acme",
    host: webhook.host,
    port: webhook.port,
    path: "/",
    logger: deps.logger,
    // One that throws is answered 500, and Acme sends it again.
    async take(body, { "x-acme-signature": signature }) {
      if (!isSigned(body, signature, secret)) return 403;
      const message = decode(JSON.parse(body.toString()) as AcmeMessage, connection);
      if (message) await receive(message);
      return 200;
    },
  });
  onStop(() => listener.close());
  const address = await listener.open();
  const url = webhook.publicUrl ?? address;

  onStop(async () => {
    await api.call({ method: "DELETE", path: "webhook", withinMs: 2_000 });
  });
  await keepReceiving(async ({ signal, received }) => {
    await api.call({ method: "PUT", path: "webhook", json: { url, secret }, signal });
    received();
    await sleep(deps.clock, REGISTERED_EVERY_MS, signal);
  });
}

function isSigned(body: Buffer, signature: string | string[] | undefined, secret: string): boolean {
  const wanted = createHmac("sha256", secret).update(body).digest();
  const given = Buffer.from(String(signature), "hex");
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
