// Runs in mongosh after connect.js. Makes the set of MONGO_MEMBERS when there is none, and ends with 0 when it has a
// primary, whichever member that is, so that users can be made and services may start.
{
  try {
    rs.status();
  } catch (error) {
    if (error.codeName !== 'NotYetInitialized') throw error;
    rs.initiate({ _id: 'rs0', members: process.env.MONGO_MEMBERS.split(',').map((host, _id) => ({ _id, host })) });
  }
  const hasPrimary = () => rs.status().members.some(({ stateStr }) => stateStr === 'PRIMARY');
  const deadline = Date.now() + 120_000;
  while (!hasPrimary()) {
    if (Date.now() > deadline) throw new Error('the set rs0 has no primary after 120 s; the next run tries again');
    sleep(500);
  }
  print('replica set rs0 has its primary');
}
