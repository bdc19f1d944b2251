// The images that are pulled and not built here, and the places that name them. A release pins each by digest in all
// places at once, so the tested image is the one that runs. Without arguments it lists them.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import commandLine from '../../libs/command-line/src/index.cjs';

const command = {
  name: 'pulled-images',
  usage: 'node infra/docker/pulled-images.mjs',
  summary: 'Lists the images that are pulled; --pin IMAGE DIGEST writes its digest wherever it is named.',
  words: ['[image]', '[digest]'],
  options: {
    pin: { type: 'boolean', text: 'write the digest of the image' },
    check: { type: 'boolean', text: 'end with 1 while one is named without a digest' },
    root: { type: 'string', value: 'FOLDER', text: 'of the repository (default: this one)' },
  },
};

const named =
  /^(\s*(?:-\s+)?image:\s+|FROM\s+)((?:node|mongo|nats|prom\/prometheus|grafana\/grafana|jaegertracing\/jaeger):[\w.-]+)(@sha256:[0-9a-f]{64})?/gm;

function filesOf(root) {
  const manifests = ['infra/k8s/base', 'infra/k8s/ops'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.yaml'))
      .map((name) => join(folder, name)),
  );
  return ['infra/docker/Dockerfile', 'docker-compose.yml', ...manifests].map((file) => join(root, file));
}

/** Every place that names an image. */
function placesOf(root) {
  return filesOf(root).flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(named)].map(([, , image, digest]) => ({ file, image, digest })),
  );
}

function pin(root, image, digest) {
  if (!/^sha256:[0-9a-f]{64}$/.test(digest)) throw new Error(`${digest} is no digest`);
  if (!placesOf(root).some((place) => place.image === image)) throw new Error(`no file names ${image}`);
  for (const file of filesOf(root)) {
    const text = readFileSync(file, 'utf8');
    const pinned = text.replace(named, (whole, before, name) =>
      name === image ? `${before}${name}@${digest}` : whole,
    );
    if (pinned !== text) writeFileSync(file, pinned);
  }
}

await commandLine.runCommand(command, ({ values, words }) => {
  const root = resolve(values.root ?? join(import.meta.dirname, '../..'));
  const [image = '', digest = ''] = words;
  if (values.pin) return pin(root, image, digest);
  const places = placesOf(root);
  if (values.check) {
    const open = places.filter((place) => place.digest === undefined);
    for (const place of open) console.error(`${place.file}: ${place.image} has no digest`);
    return open.length === 0 ? 0 : 1;
  }
  console.log([...new Set(places.map((place) => place.image))].sort().join('\n'));
  return undefined;
});
