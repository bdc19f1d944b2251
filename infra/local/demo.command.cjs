// The command line of `npm run demo`.
module.exports = /** @type {const} */ ({
  name: 'demo',
  usage: 'npm run demo --',
  summary:
    'Plays the main story against the platform that `npm start` runs (with the same PORT_BASE and LOCAL_DIR): it creates a new workspace and changes what that workspace pays.',
  options: {
    workspaces: { type: 'number', min: 12, max: 1_000, default: 50, text: 'how many change to another plan at once' },
  },
});
