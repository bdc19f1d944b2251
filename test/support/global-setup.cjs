// One broker and one document store serve all suites of a run; each suite uses its own names. Servers given by the
// environment (NATS_URL, MONGODB_URL) are used unchanged; real-servers.ts decides when containers are used.
const { containers } = require('./containers.ts');
const { openRealServers } = require('./real-servers.ts');
const { endProcess, foldersOfRun, removeFolders, startDocumentStore, startGuard, startNats } = require('./servers.cjs');

async function findRealServers(config) {
  const wholeRun = (config.testPathPatterns?.patterns ?? []).length === 0 && !config.testNamePattern;
  const real = await openRealServers({ environment: process.env, wholeRun, runtime: containers });
  globalThis.endRealServers = real.stop;
  if (real.skipped) process.stderr.write(`\n${real.skipped}\n`);
  // Read by the suites about the servers themselves; the others use TEST_MONGODB_URL and TEST_NATS_URL.
  if (real.mongodb) process.env.TEST_REAL_MONGODB_URL = real.mongodb.url;
  if (real.nats) process.env.TEST_REAL_NATS_URL = real.nats.url;
  return real;
}

module.exports = async (config) => {
  const real = await findRealServers(config);
  const shared = (given, server) => given || (real.forEverySuite && server?.url);
  const [natsUrl, mongodbUrl] = [
    shared(process.env.NATS_URL, real.nats),
    shared(process.env.MONGODB_URL, real.mongodb),
  ];
  const folders = foldersOfRun();
  const folder = folders.shared;
  // The shared folder of this run's suites: it describes what one suite started for all, and is removed when the run
  // ends.
  process.env.TEST_RUN_FOLDER = folder;
  process.env.TMPDIR = folders.temporary;
  const pids = [];
  const starting = [
    natsUrl ? { url: natsUrl } : startNats(folder),
    mongodbUrl ? { url: mongodbUrl } : startDocumentStore(folder),
  ].map((start) => Promise.resolve(start).then((server) => (server?.pid && pids.push(server.pid), server)));
  const started = await Promise.allSettled(starting);
  const failure = started.find(({ status }) => status === 'rejected');
  if (failure) {
    pids.forEach(endProcess);
    removeFolders(folders);
    await real.stop();
    throw failure.reason;
  }
  const [nats, store] = started.map(({ value }) => value);
  process.env.TEST_NATS_URL = nats.url;
  if (store) process.env.TEST_MONGODB_URL = store.url;
  const releaseGuard = startGuard(pids, folders);
  process.once('exit', releaseGuard);
  globalThis.endTestServers = releaseGuard;
};
