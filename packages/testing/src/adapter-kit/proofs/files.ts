import { buildSessionKey, type OutboundFile, PlatformError } from "@hermes/core";
import type { FileRef } from "@hermes/core/embed";
import type { EmulatedFile } from "@hermes/emulator";
import { PDF_FILE, PNG_FILE } from "../../sample-files.ts";
import { check, checkEqual, shown } from "../check.ts";
import type { LiveGateway } from "../machine.ts";
import { NotClaimed, proofsOfRule } from "../proof.ts";
import type { Stage } from "../stage.ts";

const EVERY_BYTE = Buffer.from(Array.from({ length: 256 }, (_, at) => at));

type Sample = Pick<FileRef, "name" | "mediaType"> & { readonly content: Buffer };

const SAMPLE: Sample = { name: "Übersicht für Jörg 1.pdf", mediaType: "application/pdf", content: PDF_FILE };

/** Each with a name that is hard for forms, headers and addresses. */
const SAMPLES: readonly Sample[] = [
  SAMPLE,
  { name: 'my "cat"; a=b, c.png', mediaType: "image/png", content: PNG_FILE },
  { name: "two\r\nlines: x.bin", mediaType: "application/octet-stream", content: EVERY_BYTE },
  { name: "‮תרשים.zip", mediaType: "application/zip", content: Buffer.concat([EVERY_BYTE, Buffer.from("zip")]) },
  { name: `${"long name ".repeat(40)}.csv`, mediaType: "text/csv", content: Buffer.from("a;b\r\n1;2\r\n") },
];

async function sendingGateway(on: Stage): Promise<LiveGateway> {
  const gateway = await on.gateway();
  if (gateway.adapter.capabilities.files === false) throw new NotClaimed("It does not claim `files`");
  return gateway;
}

/** Has a message of the agent sent to the home channel, as a turn does. */
async function say(on: Stage, { host, adapter }: LiveGateway, markdown: string, files: readonly OutboundFile[]) {
  const conversation = await adapter.homeConversation(on.home.home);
  const key = buildSessionKey(conversation);
  await host.store.outbox.enqueue([{ key, conversation, message: { kind: "answer", markdown, files } }]);
}

function filesAt(on: Stage): readonly EmulatedFile[] {
  return on.botMessages().flatMap(({ fileNames, files }) => {
    check(fileNames.length === (files ?? []).length, "the emulator does not show what was in a file");
    return files ?? [];
  });
}

function keepSample({ host }: LiveGateway, sample: Sample): Promise<FileRef> {
  return host.files.keep(sample.content, sample);
}

export const fileProofs = proofsOfRule("Guarantee: what the agent sends arrives, once", [
  {
    id: "files/bytes",
    proof: "each file arrives byte for byte after the text, with a one-line name and its extension",
    async play(on) {
      const gateway = await sendingGateway(on);
      const files = await Promise.all(SAMPLES.map((sample) => keepSample(gateway, sample)));
      await say(on, gateway, "Here they are.", files);
      await on.until("all files arrive", () => filesAt(on).length >= SAMPLES.length);
      for (const [at, { content }] of SAMPLES.entries()) {
        const [file, kept] = [filesAt(on)[at], files[at]];
        check(file !== undefined && kept !== undefined, "a file is missing");
        checkEqual(Buffer.from(file.content).equals(content), true, `whether ${shown(kept.name)} is as it was`);
        check(!/[\p{Cc}\p{Zl}\p{Zp}]/u.test(file.name), () => `its name is ${shown(file.name)}`);
        const ending = kept.name.slice(kept.name.lastIndexOf("."));
        check(file.name.endsWith(ending), () => `${shown(kept.name)} is called ${shown(file.name)}`);
      }
      await on.quiet();
      checkEqual(filesAt(on).length, SAMPLES.length, "how many files arrived");
    },
  },
  {
    id: "files/caption",
    proof: "a single file is one message that includes its caption",
    async play(on) {
      const gateway = await sendingGateway(on);
      const caption = "The numbers of 2 < 3 & *May*";
      await say(on, gateway, "", [{ ...(await keepSample(gateway, SAMPLE)), caption }]);
      await on.until("the file arrives", () => filesAt(on).length > 0);
      await on.quiet();
      const messages = on.botMessages();
      checkEqual(messages.length, 1, "how many messages there are");
      check(messages[0]?.text.includes(caption) === true, () => `what stands below the file: ${shown(on.said())}`);
    },
  },
  {
    id: "files/too-large",
    proof: "a file over the claimed size is not sent, and a line says why",
    async play(on) {
      const gateway = await sendingGateway(on);
      const { files } = gateway.adapter.capabilities;
      if (files === false) return;
      const hash = "0".repeat(64);
      const size = files.largest + 1;
      await say(on, gateway, "Here.", [{ name: "film.mp4", mediaType: "video/mp4", size, hash }]);
      await on.until("a line says so", () => on.said().some((text) => text.includes("film.mp4")));
      await on.quiet();
      checkEqual(filesAt(on).length, 0, "how many files arrived");
      checkEqual(on.countSaid("is not sent: files of up to"), 1, "how often it is said");
    },
  },
  {
    id: "files/refused",
    proof: "an upload the platform refuses is kept as undelivered, with the platform's reason",
    async play(on) {
      const refusal = (on.subject.refusals ?? []).find(
        ({ operation, becomes }) => operation === "send" && becomes === "PLATFORM_FORBIDDEN",
      );
      if (refusal === undefined) throw new NotClaimed("The adapter's test names no missing right to send");
      const gateway = await sendingGateway(on);
      const file = await keepSample(gateway, SAMPLE);
      on.emulator.fail({ operation: "send", times: 1_000, kind: { is: "refuse", code: refusal.code } });
      await say(on, gateway, "", [file]);
      const undelivered = () => gateway.host.store.deliveries.list({ limit: 9 });
      await on.until("it counts as undelivered", async () => (await undelivered()).length > 0);
      const [delivery] = await undelivered();
      checkEqual(delivery?.error?.code, refusal.becomes, "why it was not delivered");
      checkEqual(filesAt(on).length, 0, "how many files arrived");
    },
  },
  {
    id: "files/unreachable",
    proof: "a file whose upload was interrupted arrives once when the platform is reachable again",
    async play(on) {
      const gateway = await sendingGateway(on);
      on.emulator.fail({ operation: "send", times: 1_000, kind: { is: "break" } });
      await say(on, gateway, "", [await keepSample(gateway, SAMPLE)]);
      await on.until("the adapter gives up", () => gateway.tap.calls.some(({ endedAt }) => endedAt !== null));
      const { error } = gateway.tap.calls[0] ?? {};
      check(error instanceof PlatformError && error.retryable, () => `it threw ${String(error)}`);
      on.emulator.heal();
      await on.until("the file arrives", () => filesAt(on).length > 0);
      await on.quiet();
      checkEqual(filesAt(on).length, 1, "how many files arrived");
    },
  },
  {
    id: "files/killed",
    proof: "a gateway killed between uploading and recording a file leaves exactly one file",
    async play(on) {
      const first = await sendingGateway(on);
      const file = await keepSample(first, SAMPLE);
      first.dieAfter("send");
      await say(on, first, "", [file]);
      await first.died;
      await on.gateway();
      await on.quiet(1_500);
      const [arrived, ...more] = filesAt(on);
      checkEqual(more.length, 0, "how many further files there are");
      check(arrived !== undefined && Buffer.from(arrived.content).equals(SAMPLE.content), "the file is not there");
    },
  },
]);
