// Runs first in mongosh (--nodb): signs on as the administrator to the primary of the set, whichever member that is.
// Before the set exists, it signs on to the first member, where the image's entry point created the administrator.
// MONGO_MEMBERS lists the members by their names in the set, separated by commas. The password comes from a file,
// because the process list shows arguments.
{
  const { readFileSync } = require('node:fs');
  const members = process.env.MONGO_MEMBERS;
  const password = readFileSync(`${process.env.SECRETS_DIR || '/run/secrets'}/mongo_root_password`, 'utf8').trim();
  const address = (hosts, options) => `mongodb://root:${password}@${hosts}/admin?authSource=admin&${options}`;
  try {
    db = connect(address(members, 'replicaSet=rs0&serverSelectionTimeoutMS=10000'));
  } catch (error) {
    print(`no primary of rs0 yet (${error.message}): signing on to the first member`);
    db = connect(address(members.split(',')[0], 'directConnection=true'));
  }
}
