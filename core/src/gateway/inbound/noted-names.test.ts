import { disposeMachines, machine } from "@hermes/testing/gateway-machine";
import { afterEach, expect, it, vi } from "vitest";
import { userOfIdentity } from "../../model/person.ts";

afterEach(disposeMachines);

const ACCOUNT = { platform: "loopback", account: undefined };
const userOf = (key: string) => userOfIdentity({ ...ACCOUNT, key });

/** A gateway that everybody may write to, and the names that it writes to the store. */
async function noting() {
  const { platform, gateway } = machine({ homeChannel: undefined, allowedUsers: ["*"] });
  const { store } = (await gateway()).host;
  const noted = vi.spyOn(store.users, "note");
  const write = (id: string, name: string) => platform.write("/whoami", { chatId: `dm-${id}`, sender: { id, name } });
  return { store, write, noted };
}

it("two people who call themselves alike are each known by that name", async () => {
  const { store, write, noted } = await noting();
  for (const id of ["ada-1", "ada-2", "ada-1"]) await write(id, "Ada");
  expect(await Promise.all(["ada-1", "ada-2"].map((id) => store.users.name(userOf(id))))).toEqual(["Ada", "Ada"]);
  expect(noted.mock.calls.map(([user]) => user)).toEqual(["ada-1", "ada-2"].map(userOf));
});

it("somebody who takes another name, and the first one again, is known by the last", async () => {
  const { store, write, noted } = await noting();
  for (const name of ["Ada", "Countess", "Countess", "Ada"]) await write("ada", name);
  expect(await store.users.name(userOf("ada"))).toBe("Ada");
  expect(noted.mock.calls.map(([, name]) => name)).toEqual(["Ada", "Countess", "Ada"]);
});

it("a name that the store could not take is noted with the next message", async () => {
  const { store, write, noted } = await noting();
  noted.mockRejectedValueOnce(new Error("the store is busy"));
  for (const _ of [1, 2, 3]) await write("ada", "Ada");
  expect(await store.users.name(userOf("ada"))).toBe("Ada");
  expect(noted).toHaveBeenCalledTimes(2);
});

it("the names of the last thousand people who wrote are remembered, and no more", async () => {
  const { write, noted } = await noting();
  for (let n = 0; n <= 1_000; n++) await write(`person-${n}`, "Ada");
  noted.mockClear();
  await write("person-1", "Ada");
  expect(noted).not.toHaveBeenCalled();
  await write("person-0", "Ada");
  expect(noted).toHaveBeenCalledTimes(1);
});
