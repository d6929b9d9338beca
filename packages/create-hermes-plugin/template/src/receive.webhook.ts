import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type AdapterContext, sleep } from "@hermes/core";
import type { AcmeMessage, Connection } from "./api.ts";
import { decode } from "./inbound.ts";

/** How often the address is given to Acme again, in milliseconds: this is how Hermes learns that Acme is away. */
const REGISTERED_EVERY_MS = 60_000;

/** The longest body, in bytes. */
const LARGEST_BODY = 1024 * 1024;

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

  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const body = await readBody(request);
    if (body === null) return response.writeHead(413).end();
    if (!isSigned(body, request.headers["x-acme-signature"], secret)) return response.writeHead(403).end();
    const message = decode(JSON.parse(body) as AcmeMessage, connection);
    if (message) await receive(message);
    response.writeHead(200).end();
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      deps.logger.warn({ error }, "a message could not be taken; Acme sends it again");
      if (!response.headersSent) response.writeHead(500).end();
    });
  });
  server.listen(webhook.port, webhook.host);
  await once(server, "listening");
  onStop(async () => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = server.address() as AddressInfo;
  const url = webhook.publicUrl ?? `http://${webhook.host}:${port}/`;

  onStop(async () => {
    await api.call({ method: "DELETE", path: "webhook", withinMs: 2_000 });
  });
  await keepReceiving(async ({ signal, received }) => {
    await api.call({ method: "PUT", path: "webhook", json: { url, secret }, signal });
    received();
    await sleep(deps.clock, REGISTERED_EVERY_MS, signal);
  });
}

/** Null where it is too long. */
async function readBody(request: IncomingMessage): Promise<string | null> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > LARGEST_BODY) return null;
    parts.push(part);
  }
  return Buffer.concat(parts).toString();
}

function isSigned(body: string, signature: string | string[] | undefined, secret: string): boolean {
  const wanted = createHmac("sha256", secret).update(body).digest();
  const given = Buffer.from(String(signature), "hex");
  return given.length === wanted.length && timingSafeEqual(given, wanted);
}
