// Builds the images into dist/, as archives that a cluster or `docker load` takes, and says how large they are.
import { createReadStream, statSync } from "node:fs";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { buildImage, IMAGES, type ImageName } from "../images/images.ts";

const MB = 2 ** 20;

for (const name of Object.keys(IMAGES) as ImageName[]) {
  const archive = `dist/${name}.tar`;
  await buildImage(name, archive);
  const [plain, compressed] = [statSync(archive).size, await compressedSize(archive)];
  console.log(`${archive} … ${(plain / MB).toFixed(0)} MB, ${(compressed / MB).toFixed(0)} MB compressed`);
}

async function compressedSize(path: string): Promise<number> {
  let bytes = 0;
  await pipeline(createReadStream(path), createGzip(), async (chunks) => {
    for await (const chunk of chunks) bytes += (chunk as Buffer).length;
  });
  return bytes;
}
