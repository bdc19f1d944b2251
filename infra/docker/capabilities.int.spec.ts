/** What the processes of the compose file may do on their host: no part has a right that it does not need. */
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parse } from 'yaml';

interface Rights {
  readonly cap_drop?: readonly string[];
  readonly cap_add?: readonly string[];
  readonly security_opt?: readonly string[];
}

const root = resolve(__dirname, '../..');
const { services } = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true }) as {
  services: Record<string, Rights>;
};

/** Kept by hand, so that a capability that the file adds does not confirm itself. */
const needed: Readonly<Record<string, readonly string[]>> = {
  mongo: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'SETGID', 'SETUID'],
  'mongo-setup': ['DAC_OVERRIDE'],
};

describe('a part of docker-compose.yml', () => {
  it.each(Object.entries(services))('has the capabilities that it needs, and gains no others: %s', (name, rights) => {
    expect(rights.cap_drop).toEqual(['ALL']);
    expect(rights.cap_add ?? []).toEqual(needed[name] ?? []);
    expect(rights.security_opt).toEqual(['no-new-privileges:true']);
  });

  it('is named where it needs a capability', () => {
    expect(Object.keys(needed).filter((name) => !services[name])).toEqual([]);
  });
});
