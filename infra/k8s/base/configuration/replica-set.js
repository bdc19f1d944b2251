// Runs in mongosh against the first member. Ends with 0 when the set of three has a primary.
const member = (id) => ({ _id: id, host: `mongo-${id}.mongo:27017` });
try {
  rs.status();
} catch (error) {
  if (error.codeName !== 'NotYetInitialized') throw error;
  rs.initiate({ _id: 'rs0', members: [member(0), member(1), member(2)] });
}
const deadline = Date.now() + 120_000;
while (!db.hello().isWritablePrimary) {
  if (Date.now() > deadline) throw new Error('this member is not the primary after 120 s; the next run tries again');
  sleep(500);
}
print('replica set rs0 has its primary');
