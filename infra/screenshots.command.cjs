// The command line of `npm run screenshots`.
module.exports = /** @type {const} */ ({
  name: 'screenshots',
  usage: 'npm run screenshots --',
  summary:
    'Takes the pictures of docs/screenshots from the running product, light, dark and on a phone: it plays the browser suites that open these screens. It needs Chromium and takes some minutes.',
  options: {},
  examples: ['npm run screenshots'],
});
