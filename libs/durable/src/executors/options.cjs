// The off-line command about instances, the same in every service that executes work.
module.exports = /** @type {const} */ ({
  commands: {
    'instance gone': {
      words: ['<instance>'],
      options: ['proof', 'by', 'token-file', 'yes'],
      text: 'record the proof that the processes of an instance are gone; it ends no work and takes nothing over',
    },
  },
  options: {
    proof: { type: 'string', value: '"HOW"', text: 'how you know that the processes of the instance are gone' },
  },
  /**
   * The exit code of one service's program that has no open boot of the instance. An instance belongs to one service, so
   * the program of all services takes it for a failure only when each of them ends with it.
   */
  noBootOpen: 4,
});
