/** The delivered certificate maker: whatever number is drawn for a certificate, every reader accepts it. */
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

/** The certificate maker is an ES module, which the test runner cannot load. */
function integers(bytes: readonly (readonly number[])[]): string[] {
  const module = JSON.stringify(join(__dirname, 'certificates.mjs'));
  const program = `import { integer } from ${module};
    console.log(JSON.stringify(${JSON.stringify(bytes)}.map((each) => integer(Buffer.from(each)).toString('hex'))));`;
  return JSON.parse(
    execFileSync(process.execPath, ['--input-type=module', '-e', program], { encoding: 'utf8' }),
  ) as string[];
}

it('writes a number in its shortest form, positive whatever its first bit is', () => {
  expect(integers([[2], [0x7f, 1], [0x80, 1], [0, 1], [0, 0, 0x80], [0], [0, 0]])).toEqual([
    '020102',
    '02027f01',
    '0203008001',
    '020101',
    '02020080',
    '020100',
    '020100',
  ]);
});
