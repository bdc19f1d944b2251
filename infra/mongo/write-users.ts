/** Writes `infra/mongo/users.js` from the table: `npx esbuild infra/mongo/write-users.ts --bundle --platform=node | node`. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { readerGrants, serviceGrants, usersScript } from './roles';

writeFileSync(join(process.cwd(), 'infra/mongo/users.js'), usersScript([...serviceGrants, ...readerGrants]));
