// The installed packages that programs of the platform share, bundled into one file so that a start reads and compiles
// that one instead of some thousand. Packages that find files beside their own are left out: native ones, the compiler,
// and pages that are served from their package. A package that is missing here is loaded as usual.
const { join } = require('node:path');

/** Exactly as the programs' bundles require them. */
const sharedPackages = [
  '@fastify/rate-limit',
  '@nats-io/jetstream',
  '@nats-io/services',
  '@nats-io/transport-node',
  'csv-parse',
  'dataloader',
  'fastify',
  'fastify-type-provider-zod',
  'mongodb',
  'mongodb/lib/cmap/connection',
  'pino',
  'prom-client',
  'stripe',
  'zod',
];

/** @param {string} root of the repository */
const packagesFileOf = (root) => join(root, 'dist', 'packages.js');

module.exports = { packagesFileOf, sharedPackages };
