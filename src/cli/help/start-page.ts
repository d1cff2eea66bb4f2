/** What `pdi` alone says: where to begin. In 60 columns, since it is not folded. */
export const startPage = `pdi: people, companies, investors and dated signals
from the Professional Data Intelligence API

Try it without a key:   pdi --sandbox resolve ada-sample-1
Set it up:              pdi config init

  resolve     profile URLs and ids to person ids (free)
  person      full profiles (charged)
  feed        investor-interest signals (charged)
  revenue     company revenue (charged)
  investors   investors by name or website
  lists       company, people and investor lists
  searches    saved searches
  network     the team's network
  health      is the service up?
  spend       what was billed
  config      settings, keys, profiles
  sandbox     an invented service

pdi COMMAND --help   options, examples, cost and exit codes
pdi --help           every command and common option
pdi help TOPIC       exit-codes, environment, output, money,
                     sandbox
`;
