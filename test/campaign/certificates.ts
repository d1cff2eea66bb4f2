/** Certificates that the tests make themselves: an authority, and servers that it vouches for, rightly or not. */
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { newFolder } from '../support/run.ts';

export interface Authority {
  /** Its certificate, for NODE_EXTRA_CA_CERTS. */
  readonly file: string;
  /** A server's key and certificate for `name`, good for so many days from now; below 0 it has expired. */
  vouch(name: string, days: number): { readonly key: Buffer; readonly cert: Buffer };
}

const openssl = (folder: string, line: string) =>
  execFileSync('openssl', line.split(' '), { cwd: folder, stdio: 'ignore' });
const newKey = '-newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes';

export function createAuthority(): Authority {
  const folder = newFolder();
  openssl(
    folder,
    `req -x509 ${newKey} -keyout ca.key -out ca.pem -days 2 -subj /CN=test-authority -addext basicConstraints=critical,CA:TRUE`,
  );
  let made = 0;
  return {
    file: join(folder, 'ca.pem'),
    vouch(name, days) {
      made += 1;
      const own = `server${made}`;
      writeFileSync(join(folder, `${own}.ext`), `subjectAltName=${name}`);
      openssl(folder, `req ${newKey} -keyout ${own}.key -out ${own}.csr -subj /CN=test-server`);
      openssl(
        folder,
        `x509 -req -in ${own}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days ${days} -extfile ${own}.ext -out ${own}.pem`,
      );
      return {
        key: readFileSync(join(folder, `${own}.key`)),
        cert: readFileSync(join(folder, `${own}.pem`)),
      };
    },
  };
}
