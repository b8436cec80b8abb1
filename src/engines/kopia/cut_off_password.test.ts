import { copyFile, rename } from "node:fs/promises";
import { expect, test } from "vitest";
import { kopia } from "../../../test/engines/kopia_engine.ts";
import { failureOf, Ground, listed, snapshotOf } from "../testing/ground.ts";

test("a change of password that was cut off is told, and undone as the documentation says", async () => {
  await using ground = await Ground.make(kopia);
  const repository = await ground.repository();
  const source = await ground.tree("src", [{ path: "a", file: { text: "a" } }]);
  const { snapshot } = await repository.snapshot(snapshotOf(source));
  const at = (name: string) => ground.path(`repository/${name}`);
  // kopia writes kopia.blobcfg first, and was killed before the other.
  await copyFile(at("kopia.repository.f"), ground.path("before"));
  await repository.changePassword("a new one");
  await copyFile(ground.path("before"), at("kopia.repository.f"));
  for (const password of [ground.password, "a new one"]) {
    const opening = ground.engine.open(ground.location("repository", password));
    expect(await failureOf(opening)).toMatchObject({ class: "WrongPassword" });
  }
  expect(await failureOf(ground.engine.open(ground.location()))).toMatchObject({
    message: expect.stringContaining("a part of the repository alone"),
  });
  await rename(at("kopia.blobcfg.f"), ground.path("aside"));
  const again = ground.keep(await ground.engine.open(ground.location()));
  expect(await listed(again)).toMatchObject([{ id: snapshot.id }]);
});
