// A style sheet that a program imports is a string, as in the build.
module.exports = {
  process: (text) => ({ code: `module.exports = ${JSON.stringify(text)};` }),
};
