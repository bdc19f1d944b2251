// The guard ends the servers as soon as its input closes; the run need not wait for them.
module.exports = async () => {
  globalThis.endTestServers?.();
  await globalThis.endRealServers?.();
};
