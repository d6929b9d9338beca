import { check, checkEqual, shown } from "../check.ts";
import { HOLDING_MESSAGES, type KitProof } from "../proof.ts";

const RULE = "Guarantee: the health tells the truth";

export const livingProofs: readonly KitProof[] = [
  {
    id: "living/health",
    rule: RULE,
    proof:
      "while the platform is unreachable the health says that nothing is received, and afterwards that messages are",
    async play(on) {
      const gateway = await on.gateway();
      checkEqual(gateway.health().state, "up", "the health at first");
      on.emulator.fail({ operation: "connect", times: 1_000, kind: { is: "break" } });
      on.emulator.fail({ operation: "connect", kind: { is: "disconnect" } });
      await on.until(
        "the health says so",
        () => !["up", "starting"].includes(gateway.health().state),
        on.patienceMs * 2,
      );
      const { detail = "" } = gateway.health();
      check(detail.trim().length > 10, () => `the health gives no sentence: ${shown(gateway.health())}`);
      on.emulator.heal();
      await on.until("the health is up again", () => gateway.health().state === "up", on.patienceMs * 2);
      await on.ask(gateway);
    },
  },
  {
    id: "living/starts-later",
    rule: RULE,
    proof: "a gateway that starts while the platform is unreachable connects by itself later",
    async play(on) {
      on.emulator.fail({ operation: "connect", times: 1_000, kind: { is: "break" } });
      const starting = on.gateway();
      setTimeout(() => on.emulator.heal(), 1_000);
      const gateway = await starting;
      await on.until("it is up", () => gateway.health().state === "up", on.patienceMs * 2);
      await on.ask(gateway);
    },
  },
  {
    id: "living/stops",
    rule: RULE,
    proof: "a gateway that ends disconnects from the platform, and the next one receives",
    async play(on) {
      const first = await on.gateway();
      await on.ask(first);
      await first.end();
      await on.until("the platform sees no client", () => !on.emulator.isConnected);
      await on.ask(await on.gateway());
    },
  },
  {
    id: "living/attachments",
    rule: "Guarantee: what a person sends is read",
    proof: "a person's text file reaches the model with its name and text, any other file with its name",
    async play(on) {
      await on.gateway();
      const files = [
        { name: "notes.txt", mediaType: "text/plain", content: "The password of the day is plum." },
        { name: "photo.png", mediaType: "image/png", content: "\u0089PNG" },
      ];
      for (const file of files) await on.write(`See ${file.name}`, on.homePlace, { files: [file] });
      await on.until("both are read", () => on.model.requests.length === 2);
      const [text = "", image = ""] = on.model.requests.map(({ messages }) => messages.at(-1)?.text);
      check(text.includes("notes.txt") && text.includes("is plum."), () => `the model read ${shown(text)}`);
      check(image.includes("photo.png") || image.includes("image/"), () => `the model read ${shown(image)}`);
    },
  },
  {
    id: "living/commands",
    rule: "Guarantee: commands work on the platform",
    proof: "a command runs as /help spells it, an unknown one is reported, and neither reaches the model",
    homes: HOLDING_MESSAGES,
    async play(on) {
      await on.gateway();
      await on.write(on.typed("help"));
      const [newSession, status] = [on.typed("new"), on.typed("status")];
      await on.until(`${status} is listed`, () => [newSession, status].every((name) => on.countSaid(name) > 0));
      await on.write(status);
      await on.until(`${status} is answered`, () => on.countSaid("No session yet") === 1);
      await on.write(on.typed("frobnicate"));
      await on.until("the unknown command is refused", () => {
        return on.countSaid(`There is no command ${on.typed("frobnicate")}.`) === 1;
      });
      checkEqual(on.model.requests.length, 0, "how many turns ran");
      // A group lists the sessions that were handed off to it.
      await on.handOff(await on.terminalSession("The garden"));
      await on.write(on.typed("sessions"), on.homePlace, { mentions: true });
      await on.until("the list names it", () => on.said().some((text) => /The garden.*messages? ·/.test(text)));
    },
  },
  {
    id: "living/text",
    rule: "Guarantee: what a person sends is read",
    proof: "a person's message reaches the model unchanged, with its lines, brackets and emoji",
    async play(on) {
      await on.gateway();
      const text = "2 * 3 < 4 && a_b_c, [x] 🙂\nsecond line: `code()`";
      await on.write(text);
      await on.until("it is read", () => on.model.requests.length > 0);
      const read = on.model.requests[0]?.messages.at(-1)?.text.replaceAll("\\", "") ?? "";
      check(read.includes(text), () => `the model read ${shown(read)}`);
    },
  },
];
