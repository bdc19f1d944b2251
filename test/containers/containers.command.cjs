// The command line of `npm run containers`.
module.exports = /** @type {const} */ ({
  name: 'containers',
  usage: 'npm run containers --',
  summary:
    'Builds every image by the delivered recipe, starts the delivered docker-compose.yml and plays a day of it: the demo, off-line commands, rolling replacement and rotation under load, backup and restore, a cluster of brokers that is cut and loses a disk. Where no image can be pulled, base images are made here, and the report says what was stood in for.',
  options: {
    scene: { type: 'string', multiple: true, value: 'NAME', text: 'play these scenes alone (default: all of them)' },
    keep: { type: 'boolean', text: 'leave the containers running at the end' },
  },
  negative: 'no container engine is there and none can be started: nothing was tried',
  examples: ['npm run containers', 'npm run containers -- --scene demo --keep'],
});
