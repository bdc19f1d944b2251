// The guard stops the servers as soon as its input closes, so the run need not wait for them.
module.exports = async () => {
  globalThis.endTestServers?.();
  await globalThis.endRealServers?.();
};
