import { expect, it } from "vitest";
import { whatsappOptions } from "./config.ts";
import { setup } from "./setup.ts";

const [cloud, personal] = setup.ways;

it("the answers for a business number are what the schema needs", () => {
  const answers = { phoneNumberId: "106540352242922", accessToken: "EAAtoken", appSecret: "secret" };
  const initial = Object.fromEntries(
    (cloud?.questions ?? []).flatMap((one) => (one.default === undefined ? [] : [[one.option, one.default]])),
  );
  expect(whatsappOptions.safeParse({ ...cloud?.options, ...initial, ...answers }).success).toBe(true);
  expect(cloud?.questions.map(({ option }) => option)).toEqual([...Object.keys(answers), "verifyToken"]);
});

it("every secret of the business number is kept in a variable", () => {
  const secrets = cloud?.questions.filter(({ variable }) => variable !== undefined).map(({ option }) => option);
  expect(secrets).toEqual(["accessToken", "appSecret", "verifyToken"]);
});

it("the word for Meta is a random one where nobody chooses it", () => {
  expect(cloud?.questions.at(-1)?.default).toMatch(/^[0-9a-f]{32}$/);
});

it("a number of one's own needs its library, and is linked afterwards", () => {
  expect(personal).toMatchObject({ options: { transport: "personal" }, questions: [], command: "link" });
  expect(personal?.packages).toEqual([expect.stringMatching(/^@whiskeysockets\/baileys@\d/)]);
  expect(whatsappOptions.safeParse(personal?.options).success).toBe(true);
});
