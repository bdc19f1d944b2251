// The installed packages that programs of the platform share, bundled into one file for each group, so that a start
// reads and compiles a few files instead of some thousand. A process keeps the text of each file that it loads, and most
// need only some groups. Packages that find files beside their own are left out: native ones, the compiler, and pages
// that are served from their package. A package that is missing here is loaded as usual.
const { join } = require('node:path');

/**
 * By the name of the file, exactly as the programs' bundles and these files require them. Packages that share classes
 * or state are in one group.
 */
const sharedPackages = {
  'csv-parse': ['csv-parse'],
  dataloader: ['dataloader'],
  fastify: ['@fastify/rate-limit', 'fastify', 'fastify-type-provider-zod'],
  'ipaddr.js': ['ipaddr.js'],
  mongodb: ['mongodb', 'mongodb/lib/cmap/connection'],
  nats: ['@nats-io/jetstream', '@nats-io/services', '@nats-io/transport-node'],
  pino: ['pino'],
  'prom-client': ['prom-client'],
  standardwebhooks: ['standardwebhooks'],
  stripe: ['stripe'],
  zod: ['zod', 'zod/v4/core'],
};

/** @param {string} root of the repository */
const packagesFolderOf = (root) => join(root, 'dist', 'packages');

module.exports = { packagesFolderOf, sharedPackages };
