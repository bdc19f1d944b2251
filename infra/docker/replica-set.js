// Runs in mongosh against the one member, as the administrator. Ends with 0 when the set has a primary, so that users
// can be made and services may start.
try {
  rs.status();
} catch (error) {
  if (error.codeName !== 'NotYetInitialized') throw error;
  rs.initiate({ _id: 'rs0', members: [{ _id: 0, host: 'mongo:27017' }] });
}
const deadline = Date.now() + 60_000;
while (!db.hello().isWritablePrimary) {
  if (Date.now() > deadline) throw new Error('the replica set has no primary after 60 s');
  sleep(200);
}
print('replica set rs0 has its primary');
