// A style sheet that a program imports is a text, as the build has it.
module.exports = {
  process: (text) => ({ code: `module.exports = ${JSON.stringify(text)};` }),
};
