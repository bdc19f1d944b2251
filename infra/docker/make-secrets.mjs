// Creates the secrets of docker-compose.yml, once: a folder with one file per secret. Existing secrets are kept, so a
// second run adds only those that a newer version needs. The two secrets of the payment provider come from the
// environment.
import { mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import commandLine from '../../libs/command-line/src/index.cjs';
import {
  brokerHosts,
  completeSecrets,
  keep,
  keepDatabaseUrl,
  makeBrokerSecrets,
  makeCertificate,
  makeDatabaseUsers,
  random,
  said,
} from './secret-files.mjs';

const command = {
  name: 'make-secrets',
  usage: 'STRIPE_SECRET_KEY=sk_test_… STRIPE_WEBHOOK_SECRET=whsec_… node infra/docker/make-secrets.mjs',
  summary:
    'Makes the secrets of docker-compose.yml, one file each, in the folder (.local/compose-secrets). What is there is kept.',
  words: ['[folder]'],
  options: {},
};

function makeOwn(folder) {
  keep(folder, 'grafana_password', random);
  for (const user of makeDatabaseUsers(folder)) keepDatabaseUrl(folder, user, 'mongo:27017');
  makeBrokerSecrets(folder);
  // Members of a cluster identify themselves to each other with it.
  keep(folder, 'nats_routes_password', random);
  const names = ['nats_ca', 'nats_tls_certificate', 'nats_tls_key'];
  makeCertificate(folder, names, 'workspace-platform broker', brokerHosts);
}

await commandLine.runCommand(command, ({ words: [folder = '.local/compose-secrets'] }) => {
  // Beside it: signing secrets of teams over HTTP and secrets of the sign-in, which people put there. The engine would
  // make these folders for its own user.
  for (const beside of ['http-delivery', 'sign-in']) mkdirSync(join(dirname(folder), beside), { recursive: true });
  console.log(said(folder, completeSecrets(folder, process.env, makeOwn)));
});
