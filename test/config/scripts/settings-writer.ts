/** Stores a setting in COUNT profiles of its own, one after the other: `settings-writer DIRECTORY NAME COUNT`. */
import { setValue } from '../../../src/config/change.ts';

const [directory = '', name = '', count = '0'] = process.argv.slice(2);
for (let round = 0; round < Number(count); round += 1) {
  await setValue({ directory, profile: `${name}${round}`, name: 'timeout', text: '5' });
}
