// One broker and one document store serve all suites of a run (each suite uses own names). Servers given by the
// environment (NATS_URL, MONGODB_URL) are used as they are.
const { endProcess, removeFolder, startDocumentStore, startGuard, startNats, temporaryFolder } = require('./servers.cjs');

module.exports = async () => {
  const folder = temporaryFolder();
  const pids = [];
  const starting = [
    process.env.NATS_URL ? { url: process.env.NATS_URL } : startNats(folder),
    process.env.MONGODB_URL ? { url: process.env.MONGODB_URL } : startDocumentStore(folder),
  ].map((start) => Promise.resolve(start).then((server) => (server?.pid && pids.push(server.pid), server)));
  const started = await Promise.allSettled(starting);
  const failure = started.find(({ status }) => status === 'rejected');
  if (failure) {
    pids.forEach(endProcess);
    removeFolder(folder);
    throw failure.reason;
  }
  const [nats, store] = started.map(({ value }) => value);
  process.env.TEST_NATS_URL = nats.url;
  if (store) process.env.TEST_MONGODB_URL = store.url;
  const releaseGuard = startGuard(pids, folder);
  process.once('exit', releaseGuard);
  globalThis.endTestServers = releaseGuard;
};
