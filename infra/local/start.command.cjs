// The command line of `npm start`.
module.exports = /** @type {const} */ ({
  name: 'start',
  usage: 'npm start --',
  summary:
    'Sets the checkout up and runs the whole platform on this machine until Ctrl-C. Data, logs and secrets live in LOCAL_DIR (.local), ports begin at PORT_BASE (7000). NATS_URL, MONGODB_URL and STRIPE_SECRET_KEY replace the embedded parts.',
  options: {
    fresh: { type: 'boolean', text: 'forget the data of earlier runs, and copy the sample pages again' },
  },
  examples: ['npm start', 'npm start -- --fresh', 'PORT_BASE=8000 LOCAL_DIR=.local-2 npm start'],
});
